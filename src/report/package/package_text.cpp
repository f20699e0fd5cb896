#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/numbers/number_text.hpp"
#include "report/package/package_report.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

std::string cores_of(const PackageStage& stage) {
    const auto& cores = stage.cores;
    const bool in_a_row = std::ranges::adjacent_find(cores, [](auto a, auto b) { return b != a + 1; }) == cores.end();
    if (cores.size() > 1 && in_a_row) return fmt::format("{}..{}", cores.front(), cores.back());
    return fmt::format("{}", fmt::join(cores, ","));
}

Table stages_table(const PackageReport& report) {
    Table table({"Run", "Einsum", "Cores", "Split", "Sums", "Streamed", "Cycles", "Energy"}, "llllllrr");
    for (const PackageRun& run : report.runs)
        for (std::size_t i = 0; i < run.stages.size(); ++i) {
            const PackageStage& stage = run.stages[i];
            const std::string times = run.repeats > 1 ? fmt::format(", {} times", run.repeats) : "";
            table.add({i == 0 ? run.step + times : "", stage.einsum, cores_of(stage), stage.split, stage.sums,
                       fmt::format("{}", fmt::join(stage.streamed, ", ")), i == 0 ? count_text(run.cycles) : "",
                       i == 0 ? energy_text(run.energy_pj) : ""});
        }
    return table;
}

Table energy_table(const multicore::Energy& energy) {
    Table table({"Energy", "", "Share"}, "lrr");
    for (const auto& [name, value] :
         {std::pair{"cores", energy.leaves}, std::pair{"words that leave buffers", energy.sends},
          std::pair{"words that arrive", energy.arrivals}, std::pair{"partial sums", energy.sums},
          std::pair{"links", energy.links}, std::pair{"links between chiplets", energy.d2d},
          std::pair{"DRAM", energy.dram}, std::pair{"leakage", energy.leakage}})
        if (value > 0.0) table.add({name, energy_text(value), share_text(value / energy.total())});
    table.rule();
    table.add({"all", energy_text(energy.total()), ""});
    return table;
}

// "core": of whichever is the slowest.
std::string sort_of(const std::string& bound_by) {
    if (bound_by.empty()) return "nothing";
    return bound_by.substr(0, bound_by.find(' '));
}

Table bounds_table(const PackageReport& report) {
    struct Sum {
        std::int64_t slots = 0;
        std::int64_t cycles = 0;
    };
    std::map<std::string, Sum> sums;
    for (const PackageRun& run : report.runs)
        for (const PackageSlot& slot : run.slots) {
            if (slot.cycles == 0) continue;
            Sum& sum = sums[sort_of(slot.bound_by)];
            sum.slots += run.repeats;
            sum.cycles += slot.cycles * run.repeats;
        }
    Table table({"Slots are bound by", "Slots", "Cycles", "Share"}, "lrrr");
    for (const auto& [name, sum] : sums)
        table.add({name == "core"   ? "cores"
                   : name == "link" ? "links"
                                    : "DRAMs",
                   count_text(sum.slots), count_text(sum.cycles),
                   share_text(static_cast<double>(sum.cycles) / static_cast<double>(report.cycles))});
    return table;
}

std::string worth_text(const PackageReport& report) {
    std::string text =
        fmt::format("  {} in all, {} cycles\n", energy_text(report.energy.total()), count_text(report.cycles));
    if (report.interrupted) text += "  interrupted: the best that was found so far\n";
    if (!report.bound || !report.value) return text;
    if (report.proven) return text + fmt::format("  proven: no plan of the space has less {}\n", report.objective);
    if (*report.bound <= 0.0) return text + "  no bound was found\n";
    return text + fmt::format("  not proven: no plan of the space has less than {} of this {}\n",
                              share_text(*report.bound / *report.value), report.objective);
}

}  // namespace

std::string package_text(const PackageReport& report) {
    const std::string title = report.cascade + " on " + report.package;
    std::string text = title + "\n" + std::string(title.size(), '=') + "\n";
    text += stages_table(report).text() + "\n" + energy_table(report.energy).text() + "\n" +
            bounds_table(report).text() + "\n" + worth_text(report);
    for (const std::string& note : report.notes) text += "  note: " + note + "\n";
    return text + "\n" + report.plan;
}

std::string package_csv(const PackageReport& report) {
    std::string csv = "run,slot,cycles,compute_cycles,moving_cycles,bound_by\n";
    for (std::size_t r = 0; r < report.runs.size(); ++r)
        for (const PackageSlot& slot : report.runs[r].slots)
            csv += fmt::format("{},{},{},{},{},{}\n", r, slot.slot, slot.cycles, slot.compute_cycles,
                               slot.moving_cycles, csv_cell(slot.bound_by));
    return csv;
}

}  // namespace tilewright::report
