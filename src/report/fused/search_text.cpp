#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

bool is_alone(const FusionGroup& group) { return group.einsums.size() == 1; }

std::vector<std::string> group_row(const std::string& names, std::size_t einsums, double energy_pj, double cycles,
                                   const std::string& loops) {
    return {names, std::to_string(einsums), energy_text(energy_pj), count_text(cycles), loops};
}

// Consecutive unfused einsums share one row.
std::vector<std::vector<std::string>> group_rows(const std::vector<FusionGroup>& groups) {
    std::vector<std::vector<std::string>> rows;
    for (auto group = groups.begin(); group != groups.end();) {
        const auto end = is_alone(*group) ? std::find_if_not(group, groups.end(), is_alone) : std::next(group);
        if (end - group == 1) {
            rows.push_back(group_row(names_text(*group), group->einsums.size(), group->energy_pj, group->cycles,
                                     loops_text(*group)));
        } else {
            double energy_pj = 0.0;
            double cycles = 0.0;
            for (auto one = group; one != end; ++one) energy_pj += one->energy_pj, cycles += one->cycles;
            rows.push_back(group_row(group->einsums.front() + " .. " + std::prev(end)->einsums.back(),
                                     static_cast<std::size_t>(end - group), energy_pj, cycles, "each by itself"));
        }
        group = end;
    }
    return rows;
}

Table groups_table(const FusionReport& report) {
    constexpr std::size_t kMost = 40;
    Table table({"group", "einsums", "energy", "cycles", "shared loops"}, "lrrrl");
    const std::vector<std::vector<std::string>> rows = group_rows(report.groups);
    const std::size_t shown = rows.size() > kMost ? kMost - 1 : rows.size();
    for (std::size_t i = 0; i < shown; ++i) table.add(rows[i]);
    if (shown < rows.size()) table.add({fmt::format("and {} more", rows.size() - shown), "", "", "", "report.json"});
    return table;
}

std::optional<std::int64_t> peak_words(const FusionReport& report, const FusionCosts& costs) {
    for (const FusionMemory& memory : costs.memories)
        if (memory.memory == report.buffer && memory.peak_words) return memory.peak_words;
    return std::nullopt;
}

double gap_of(const FusionReport& report) {
    if (!report.front.empty()) return report.gap;
    return report.value > 0.0 ? 1.0 - report.bound / report.value : 0.0;
}

constexpr const char* kFrontTitle = "the front of energy and cycles";

Table front_table(const FusionReport& report) {
    Table table({"", "energy", "cycles", "pJ*cycles", "groups", "proven cheapest where a cycle costs", ""}, "rrrrrll");
    for (std::size_t i = 0; i < report.front.size(); ++i) {
        const FusionPoint& point = report.front[i];
        table.add({std::to_string(i + 1), energy_text(point.energy_pj), count_text(point.cycles),
                   figure_text(point.energy_pj * point.cycles), count_text(point.groups), price_text(point),
                   point.mapping == report.mapping ? "above" : ""});
    }
    return table;
}

std::string front_worth(const FusionReport& report) {
    const std::string effort =
        fmt::format("{} proofs, {} rounds, {} kinds of leaves", report.proofs, report.rounds, report.leaves);
    if (report.proven)
        return fmt::format("proven: whatever a cycle costs, no fused mapping is cheaper than the front ({})\n", effort);
    return fmt::format("{}whatever a cycle costs, no fused mapping is cheaper than the front by more than {} % ({})\n",
                       report.interrupted ? "stopped: " : "", figure_text(100.0 * report.gap), effort);
}

Table ways_table(const FusionReport& report) {
    Table table({"mapping", "energy", "cycles", "pJ*cycles", "DRAM words", "DRAM energy", "buffer peak"}, "lrrrrrr");
    for (const FusionCosts& costs : report.ways) {
        const std::optional<std::int64_t> peak = peak_words(report, costs);
        table.add({costs.way, energy_text(costs.energy_pj), count_text(costs.cycles),
                   figure_text(costs.energy_pj * costs.cycles), count_text(dram_words(costs)),
                   costs.memories.empty() ? "" : energy_text(costs.memories.front().energy_pj),
                   peak ? count_text(*peak) : ""});
    }
    return table;
}

// A value of the objective: pJ, cycles, or a product of them.
std::string objective_value_text(const std::string& objective, double value) {
    if (objective == "energy") return energy_text(value);
    if (objective == "latency") return count_text(std::round(value)) + " cycles";
    if (objective == "edp") return figure_text(value * 1e-12) + " J*cycles";
    return figure_text(value);
}

std::string worth_text(const FusionReport& report) {
    if (!report.front.empty())
        return std::string("\n  ") + kFrontTitle + "\n" + front_table(report).text() + front_worth(report);
    if (report.proven)
        return fmt::format(
            "proven: no fused mapping of the space has a lower {} ({} proofs, {} rounds, {} kinds of leaves)\n",
            report.objective, report.proofs, report.rounds, report.leaves);
    const std::string why = report.interrupted
                                ? "stopped before it was proven"
                                : fmt::format(
                                      "not proven: the lower one bounds all fused mappings of the space, {:.1f} % "
                                      "below the best found",
                                      100.0 * gap_of(report));
    return fmt::format("{} in [{}, {}]: {}\n", report.objective, objective_value_text(report.objective, report.bound),
                       objective_value_text(report.objective, report.value), why);
}

std::string words_text(const std::optional<double>& words) { return words ? count_text(*words) : "-"; }

constexpr const char* kBuffersTitle = "the fewest DRAM words by size of the buffer";

Table buffers_table(const FusionReport& report) {
    Table table({"buffer words", "DRAM words", "unfused", "proven bound", "worth"}, "rrrrl");
    for (const FusionBuffer& buffer : report.buffers)
        table.add({count_text(buffer.buffer_words), words_text(buffer.fused_words), words_text(buffer.unfused_words),
                   count_text(buffer.bound_words),
                   buffer.proven        ? "proven"
                   : buffer.fused_words ? "in between"
                                        : "nothing found"});
    return table;
}

std::string title_of(const FusionReport& report) {
    std::size_t einsums = 0;
    for (const FusionGroup& group : report.groups) einsums += group.einsums.size();
    return fmt::format("{} on {}: {} einsums in {} group{}", report.cascade, report.architecture, einsums,
                       report.groups.size(), report.groups.size() == 1 ? "" : "s");
}

// "-40.8 %" against the best without fusion; nothing if there is none.
std::string against_unfused(const FusionReport& report, double fused, double (*of)(const FusionCosts& costs)) {
    const FusionCosts* unfused = find_way(report, kUnfused);
    if (unfused == nullptr || of(*unfused) <= 0.0) return "";
    return fmt::format("{:+.1f} % against no fusion", 100.0 * (fused / of(*unfused) - 1.0));
}

std::vector<views::Card> cards_of(const FusionReport& report) {
    const FusionCosts* fused = find_way(report, kFused);
    if (fused == nullptr) return {};
    const auto against = [&](double (*of)(const FusionCosts& costs)) {
        return against_unfused(report, of(*fused), of);
    };
    std::vector<views::Card> cards{
        {"Energy", energy_text(fused->energy_pj), against([](const FusionCosts& one) { return one.energy_pj; })},
        {"Latency", count_text(fused->cycles) + " cycles", against([](const FusionCosts& one) { return one.cycles; })},
        {"DRAM words", count_text(dram_words(*fused)), against(dram_words)}};
    if (const std::optional<std::int64_t> peak = peak_words(report, *fused); peak && report.buffer_words > 0)
        cards.push_back({"Peak of " + report.buffer, count_text(*peak) + " words",
                         fmt::format("{:.1f} % of {}",
                                     100.0 * static_cast<double>(*peak) / static_cast<double>(report.buffer_words),
                                     count_text(report.buffer_words))});
    const bool is_front = !report.front.empty();
    cards.push_back({"Proof", report.proven ? "optimal" : fmt::format("within {:.1f} %", 100.0 * gap_of(report)),
                     is_front        ? "whatever a cycle costs, of the cheapest fused mapping"
                     : report.proven ? "no fused mapping of the space has a lower " + report.objective
                                     : "of a lower bound of the " + report.objective});
    return cards;
}

}  // namespace

const FusionCosts* find_way(const FusionReport& report, const std::string& name) {
    const auto found = std::ranges::find(report.ways, name, &FusionCosts::way);
    return found == report.ways.end() ? nullptr : &*found;
}

std::string price_text(const FusionPoint& point) {
    const auto pj = [](double price) { return figure_text(price) + " pJ"; };
    const bool from_nothing = point.from_pj_per_cycle && *point.from_pj_per_cycle == 0.0;
    if (!point.proven) return "-";
    if (!point.to_pj_per_cycle && !point.from_pj_per_cycle) return "cycles alone";
    if (!point.to_pj_per_cycle) return from_nothing ? "anything" : pj(*point.from_pj_per_cycle) + " and more";
    if (*point.to_pj_per_cycle == 0.0) return "0 pJ";
    if (from_nothing) return "up to " + pj(*point.to_pj_per_cycle);
    if (*point.from_pj_per_cycle == *point.to_pj_per_cycle) return pj(*point.to_pj_per_cycle);
    return figure_text(*point.from_pj_per_cycle) + " to " + pj(*point.to_pj_per_cycle);
}

double dram_words(const FusionCosts& costs) {
    double words = 0.0;
    if (costs.memories.empty()) return words;
    for (const FusionWords& tensor : costs.memories.front().tensors)
        words += tensor.reads + tensor.fills + tensor.updates;
    return words;
}

std::string fusion_summary(const FusionReport& report) {
    const std::string title = title_of(report);
    std::string text = title + "\n" + std::string(title.size(), '=') + "\n";
    text += groups_table(report).text() + "\n" + ways_table(report).text() + "\n" + worth_text(report);
    if (!report.buffers.empty()) text += std::string("\n  ") + kBuffersTitle + "\n" + buffers_table(report).text();
    for (const std::string& note : report.notes) text += "  note: " + note + "\n";
    return text;
}

views::Headline fusion_headline(const FusionReport& report) {
    views::Headline headline{title_of(report), cards_of(report), {}, report.notes};
    if (report.interrupted) headline.notes.insert(headline.notes.begin(), "interrupted: the best so far");
    headline.tables = {{"Groups of einsums that run together", groups_table(report)},
                       {"With fusion, without, and a lower bound of both", ways_table(report)}};
    if (!report.front.empty()) headline.tables.push_back({kFrontTitle, front_table(report)});
    if (!report.buffers.empty()) headline.tables.push_back({kBuffersTitle, buffers_table(report)});
    return headline;
}

std::string fusion_text(const FusionReport& report) { return fusion_summary(report) + "\n" + report.mapping; }

}  // namespace tilewright::report
