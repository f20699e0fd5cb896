#include <fmt/format.h>

#include <algorithm>

#include "base/numbers/number_text.hpp"
#include "report/fused/search.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

std::string names_text(const FusionGroup& group) {
    if (group.einsums.size() == 1) return group.einsums.front();
    return group.einsums.front() + " .. " + group.einsums.back();
}

// "m by 128; slices of k by 32": the loops around all of the group, then those around a part of it.
std::string loops_text(const FusionGroup& group) {
    const auto last = static_cast<std::int64_t>(group.einsums.size()) + group.first - 1;
    std::string shared;
    std::string slices;
    int parts = 0;
    for (const FusionLine& line : group.lines) {
        if (line.kind != FusionLineKind::loop || line.step >= line.extent) continue;
        const std::string text = fmt::format("{} by {}", line.name, count_text(line.step));
        if (line.first == group.first && line.last == last && parts == 0) {
            shared += (shared.empty() ? "" : ", ") + text;
        } else {
            slices = text;
            ++parts;
        }
    }
    if (parts > 1) slices = fmt::format("{} loops over slices", parts);
    if (parts == 1) slices = "slices of " + slices;
    if (shared.empty() && slices.empty()) return "in one step";
    return shared + (shared.empty() || slices.empty() ? "" : "; ") + slices;
}

std::string groups_table(const FusionReport& report) {
    Table table({"group", "einsums", "energy", "cycles", "shared loops"}, "lrrrl");
    for (const FusionGroup& group : report.groups)
        table.add({names_text(group), std::to_string(group.einsums.size()), energy_text(group.energy_pj),
                   count_text(group.cycles), loops_text(group)});
    return table.text();
}

std::string ways_table(const FusionReport& report) {
    Table table({"mapping", "energy", "cycles", "pJ*cycles", "DRAM words", "DRAM energy", "buffer peak"}, "lrrrrrr");
    for (const FusionCosts& costs : report.ways) {
        std::string peak;
        for (const FusionMemory& memory : costs.memories)
            if (memory.memory == report.buffer && memory.peak_words) peak = count_text(*memory.peak_words);
        table.add({costs.way, energy_text(costs.energy_pj), count_text(costs.cycles),
                   figure_text(costs.energy_pj * costs.cycles), count_text(dram_words(costs)),
                   costs.memories.empty() ? "" : energy_text(costs.memories.front().energy_pj), peak});
    }
    return table.text();
}

std::string worth_text(const FusionReport& report) {
    if (report.proven)
        return fmt::format(
            "proven: no fused mapping of the space has a lower {} ({} proofs, {} rounds, {} kinds of leaves)\n",
            report.objective, report.proofs, report.rounds, report.leaves);
    return fmt::format("{} in [{}, {}]: {}\n", report.objective, figure_text(report.bound), figure_text(report.value),
                       report.interrupted ? "stopped before it was proven" : "rounding leaves a gap");
}

std::string words_text(const std::optional<double>& words) { return words ? count_text(*words) : "-"; }

std::string buffers_table(const FusionReport& report) {
    if (report.buffers.empty()) return "";
    Table table({"buffer words", "DRAM words", "unfused", "proven bound", "worth"}, "rrrrl");
    for (const FusionBuffer& buffer : report.buffers)
        table.add({count_text(buffer.buffer_words), words_text(buffer.fused_words), words_text(buffer.unfused_words),
                   count_text(buffer.bound_words),
                   buffer.proven        ? "proven"
                   : buffer.fused_words ? "in between"
                                        : "nothing found"});
    return "\n  the fewest DRAM words by size of the buffer\n" + table.text();
}

}  // namespace

const FusionCosts* find_way(const FusionReport& report, const std::string& name) {
    const auto found = std::ranges::find(report.ways, name, &FusionCosts::way);
    return found == report.ways.end() ? nullptr : &*found;
}

double dram_words(const FusionCosts& costs) {
    double words = 0.0;
    if (costs.memories.empty()) return words;
    for (const FusionWords& tensor : costs.memories.front().tensors)
        words += tensor.reads + tensor.fills + tensor.updates;
    return words;
}

std::string fusion_summary(const FusionReport& report) {
    std::size_t einsums = 0;
    for (const FusionGroup& group : report.groups) einsums += group.einsums.size();
    const std::string title = fmt::format("{} on {}: {} einsums in {} group{}", report.cascade, report.architecture,
                                          einsums, report.groups.size(), report.groups.size() == 1 ? "" : "s");
    std::string text = title + "\n" + std::string(title.size(), '=') + "\n";
    text += groups_table(report) + "\n" + ways_table(report) + "\n" + worth_text(report) + buffers_table(report);
    for (const std::string& note : report.notes) text += "  note: " + note + "\n";
    return text;
}

std::string fusion_text(const FusionReport& report) { return fusion_summary(report) + "\n" + report.mapping; }

}  // namespace tilewright::report
