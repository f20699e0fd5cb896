#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/numbers/number_text.hpp"
#include "report/package/package_views.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

constexpr std::size_t kMostPlaces = 8;  // of a table; report.json has all

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

double part_share(std::int64_t part, std::int64_t all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0.0;
}

// The busiest cores; those that do nothing are left out.
Table cores_table(const PackageReport& report) {
    std::vector<PackageCore> cores = report.cores;
    std::erase_if(cores, [](const PackageCore& core) { return core.peak_words == 0; });
    std::ranges::stable_sort(cores, std::greater(), &PackageCore::busy_cycles);
    Table table({"Core", "Kind", "Busy", "Room", "Energy"}, "llrrr");
    for (std::size_t i = 0; i < std::min(cores.size(), kMostPlaces); ++i)
        table.add({fmt::format("{} at ({},{})", cores[i].core, cores[i].x, cores[i].y), cores[i].kind,
                   share_text(part_share(cores[i].busy_cycles, report.cycles)),
                   share_text(part_share(cores[i].peak_words, cores[i].buffer_words)),
                   energy_text(cores[i].energy.total())});
    if (cores.size() > kMostPlaces) table.add({fmt::format("and {} more", cores.size() - kMostPlaces), "", "", "", ""});
    return table;
}

Table links_table(const PackageReport& report) {
    struct Place {
        std::string name;
        std::int64_t words = 0;
        std::int64_t busy_cycles = 0;
        std::int64_t deciding_slots = 0;
        double energy_pj = 0.0;
    };
    std::vector<Place> places;
    for (const PackageLink& link : report.links)
        places.push_back({(link.sort == "local" ? "" : link.sort + " ") + link.link, link.words, link.busy_cycles,
                          link.deciding_slots, link.energy_pj});
    for (const PackageDram& dram : report.drams)
        if (dram.words > 0)
            places.push_back(
                {fmt::format("DRAM {}", dram.dram), dram.words, dram.busy_cycles, dram.deciding_slots, dram.energy_pj});
    std::ranges::stable_sort(places, std::greater(), &Place::busy_cycles);
    Table table({"Link or DRAM", "Words", "Busy", "Decides slots", "Energy"}, "lrrrr");
    for (std::size_t i = 0; i < std::min(places.size(), kMostPlaces); ++i)
        table.add({places[i].name, count_text(places[i].words),
                   share_text(part_share(places[i].busy_cycles, report.cycles)), count_text(places[i].deciding_slots),
                   energy_text(places[i].energy_pj)});
    if (places.size() > kMostPlaces)
        table.add({fmt::format("and {} more", places.size() - kMostPlaces), "", "", "", ""});
    return table;
}

Table tensors_table(const PackageReport& report) {
    std::vector<PackageTensor> tensors = report.tensors;
    std::ranges::stable_sort(tensors, std::greater(), &PackageTensor::link_words);
    Table table({"Words of", "DRAM", "Links", "Between chiplets"}, "lrrr");
    for (std::size_t i = 0; i < std::min(tensors.size(), kMostPlaces); ++i)
        table.add({tensors[i].tensor, count_text(tensors[i].dram_words), count_text(tensors[i].link_words),
                   count_text(tensors[i].d2d_words)});
    if (tensors.size() > kMostPlaces) table.add({fmt::format("and {} more", tensors.size() - kMostPlaces), "", "", ""});
    return table;
}

std::string claim_text(const PackageReport& report) {
    if (!report.bound || !report.value) return "";
    if (report.proven) return fmt::format("proven: no plan of the space has less {}", report.objective);
    if (*report.bound <= 0.0) return "no bound was found";
    return fmt::format("not proven: no plan of the space has less than {} of this {}",
                       share_text(*report.bound / *report.value), report.objective);
}

std::string worth_text(const PackageReport& report) {
    std::string text =
        fmt::format("  {} in all, {} cycles\n", energy_text(report.energy.total()), count_text(report.cycles));
    if (report.interrupted) text += "  interrupted: the best that was found so far\n";
    const std::string proof = claim_text(report);
    return proof.empty() ? text : text + "  " + proof + "\n";
}

std::string title_of(const PackageReport& report) { return report.cascade + " on " + report.package; }

}  // namespace

std::string package_text(const PackageReport& report) {
    const std::string title = title_of(report);
    std::string text = title + "\n" + std::string(title.size(), '=') + "\n";
    text += stages_table(report).text() + "\n" + energy_table(report.energy).text() + "\n" +
            bounds_table(report).text() + "\n" + cores_table(report).text() + "\n" + links_table(report).text() + "\n" +
            tensors_table(report).text() + "\n" + worth_text(report);
    for (const std::string& note : report.notes) text += "  note: " + note + "\n";
    return text + "\n" + report.plan;
}

views::Headline package_headline(const PackageReport& report) {
    std::int64_t busy = 0;
    std::int64_t used = 0;
    for (const PackageCore& core : report.cores) {
        busy += core.busy_cycles;
        used += core.peak_words > 0 ? 1 : 0;
    }
    const auto cores = static_cast<std::int64_t>(report.cores.size());
    views::Headline headline{title_of(report), {}, {}, report.notes};
    headline.cards = {{"Energy", energy_text(report.energy.total()), ""},
                      {"Latency", count_text(report.cycles) + " cycles", ""},
                      {"Cores", fmt::format("{} of {}", used, cores),
                       share_text(part_share(busy, report.cycles * cores)) + " of all their cycles are busy"},
                      {"DRAM words", count_text(report.counts.dram_reads + report.counts.dram_writes), ""}};
    if (const std::string proof = claim_text(report); !proof.empty())
        headline.cards.push_back({"Proof", report.proven ? "optimal" : "not proven", proof});
    if (report.interrupted) headline.notes.insert(headline.notes.begin(), "interrupted: the best so far");
    headline.tables = {
        {"Runs and their stages", stages_table(report)},     {"Energy by cause", energy_table(report.energy)},
        {"Slots by what bounds them", bounds_table(report)}, {"Busiest cores", cores_table(report)},
        {"Busiest links and DRAMs", links_table(report)},    {"Words of tensors", tensors_table(report)}};
    return headline;
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
