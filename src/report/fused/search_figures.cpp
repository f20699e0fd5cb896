#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/numbers/number_text.hpp"
#include "report/fused/search.hpp"
#include "report/views/parts.hpp"

namespace tilewright::report {
namespace {

constexpr std::size_t kMostGroups = 40;  // each a picture

constexpr const char* kSharedLoop = "shared loop";
constexpr const char* kKept = "store, kept throughout";
constexpr const char* kFirstToLast = "store, from first use to last";
constexpr const char* kEinsum = "einsum";

std::string of_what(const FusionReport& report) { return report.cascade + " on " + report.architecture; }

std::vector<std::string> names_of_ways(const FusionReport& report) {
    std::vector<std::string> names;
    for (const FusionCosts& costs : report.ways) names.push_back(costs.way);
    return names;
}

views::Figure energies(const FusionReport& report) {
    views::Parts parts(report.ways.size());
    for (std::size_t i = 0; i < report.ways.size(); ++i) {
        for (const FusionMemory& memory : report.ways[i].memories)
            parts.add(i, memory.memory, memory.energy_pj * views::kJoulesPerPicojoule);
        parts.add(i, "operations", report.ways[i].compute_energy_pj * views::kJoulesPerPicojoule);
    }
    return {"fusion", of_what(report) + ": energy with and without fusion, and a floor under both.",
            plot::StackedBars{"Energy, fused and not", names_of_ways(report), {"energy", "J", false}, parts.take()},
            ""};
}

views::Figure traffic(const FusionReport& report) {
    views::Parts parts(report.ways.size());
    for (std::size_t i = 0; i < report.ways.size(); ++i) {
        if (report.ways[i].memories.empty()) continue;
        for (const FusionWords& tensor : report.ways[i].memories.front().tensors)
            parts.add(i, tensor.role, tensor.reads + tensor.fills + tensor.updates);
    }
    return {"fusion", of_what(report) + ": words read from and written to the DRAM, by what the tensors are.",
            plot::StackedBars{"DRAM words, fused and not", names_of_ways(report), {"words", "", false}, parts.take()},
            ""};
}

std::size_t kind_named(plot::Blocks& chart, const std::string& kind) {
    const auto found = std::ranges::find(chart.kinds, kind);
    if (found != chart.kinds.end()) return static_cast<std::size_t>(found - chart.kinds.begin());
    chart.kinds.push_back(kind);
    return chart.kinds.size() - 1;
}

views::Figure occupancy(const FusionReport& report) {
    plot::Blocks chart{"What the buffer holds while each einsum runs",
                       {"einsum, in the order in which they run", "", false},
                       {},
                       {"words", "", false},
                       {},
                       {}};
    std::map<std::int64_t, double> height;  // by einsum
    for (const FusionGroup& group : report.groups)
        for (const FusionLine& line : group.lines) {
            const bool is_leaf = line.kind == FusionLineKind::leaf;
            if ((!is_leaf && line.memory != report.buffer) || line.words == 0) continue;
            const std::size_t kind = kind_named(chart, is_leaf ? "tiles of one einsum" : line.role);
            const auto words = static_cast<double>(line.words);
            for (std::int64_t e = line.first; e <= line.last; ++e) {
                const auto x = static_cast<double>(e);
                chart.blocks.push_back({x, x + 1.0, height[e], height[e] + words, kind,
                                        fmt::format("{}: {} words", line.name, count_text(line.words))});
                height[e] += words;
            }
        }
    return {"fusion",
            fmt::format("{}: words of {} that are reserved; it has {}.", of_what(report), report.buffer,
                        count_text(report.buffer_words)),
            std::move(chart), ""};
}

std::string row_text(const FusionLine& line, const std::string& buffer) {
    switch (line.kind) {
        case FusionLineKind::loop: return fmt::format("for {} by {}", line.name, line.step);
        case FusionLineKind::store:
            return fmt::format("{}{}: {} words", line.memory == buffer ? "" : line.memory + " ", line.name,
                               count_text(line.words));
        case FusionLineKind::leaf: return line.name;
    }
    return "";
}

const char* kind_text(const FusionLine& line) {
    if (line.kind == FusionLineKind::loop) return kSharedLoop;
    if (line.kind == FusionLineKind::leaf) return kEinsum;
    return line.throughout ? kKept : kFirstToLast;
}

// Nesting: a row for every loop, store and leaf, over its einsums.
views::Figure tree(const FusionReport& report, const FusionGroup& group) {
    plot::Blocks chart{"Loops and stores of " + group.einsums.front() + " .. " + group.einsums.back(),
                       {"einsum of the group", "", false},
                       {},
                       {"", "", false},
                       {kSharedLoop, kKept, kFirstToLast, kEinsum},  // each has its colour in every group
                       {}};
    for (const FusionLine& line : group.lines) {
        if (line.kind == FusionLineKind::loop && line.step >= line.extent) continue;
        const auto row = static_cast<double>(chart.rows.size());
        chart.rows.push_back(row_text(line, report.buffer));
        chart.blocks.push_back({static_cast<double>(line.first - group.first),
                                static_cast<double>(line.last - group.first + 1), row, row + 1.0,
                                kind_named(chart, kind_text(line)), chart.rows.back()});
    }
    return {"fusion",
            fmt::format("{}: one group, {} and {} cycles. Rows stand inside those above that are as wide.",
                        of_what(report), energy_text(group.energy_pj), count_text(group.cycles)),
            std::move(chart), ""};
}

}  // namespace

std::optional<views::Figure> buffers_figure(const FusionReport& report) {
    if (report.buffers.empty()) return std::nullopt;
    plot::Plane plane{"DRAM words by size of the buffer", {"buffer", "words", true}, {"DRAM", "words", true}, {}};
    plot::Series fused{"fused", true, {}};
    plot::Series unfused{"unfused", true, {}};
    plot::Series bound{"proven bound", true, {}};
    for (const FusionBuffer& buffer : report.buffers) {
        const auto x = static_cast<double>(buffer.buffer_words);
        if (buffer.fused_words) fused.marks.push_back({x, *buffer.fused_words, ""});
        if (buffer.unfused_words) unfused.marks.push_back({x, *buffer.unfused_words, ""});
        bound.marks.push_back({x, buffer.bound_words, ""});
    }
    for (plot::Series* series : {&unfused, &fused, &bound})
        if (!series->marks.empty()) plane.series.push_back(std::move(*series));
    if (const FusionCosts* once = find_way(report, kOnce)) {
        plot::Series floor{kOnce, true, {}};
        for (const FusionBuffer* buffer : {&report.buffers.front(), &report.buffers.back()})
            floor.marks.push_back({static_cast<double>(buffer->buffer_words), dram_words(*once), ""});
        plane.series.push_back(std::move(floor));
    }
    return views::Figure{"fusion",
                         of_what(report) + ": the fewest words that any mapping of the space moves through the DRAM.",
                         std::move(plane), ""};
}

std::optional<views::Figure> front_figure(const FusionReport& report) {
    if (report.front.empty()) return std::nullopt;
    plot::Series found{"found", false, {}};
    plot::Series bound{"proven bound", true, {}};
    for (std::size_t i = 0; i < report.front.size(); ++i)
        found.marks.push_back({report.front[i].cycles, report.front[i].energy_pj * views::kJoulesPerPicojoule,
                               fmt::format("{}: {} groups", i + 1, report.front[i].groups)});
    for (std::size_t i = 0; i + 1 < report.lines.size(); ++i) {  // where neighbours meet
        const FusionProof& line = report.lines[i];
        const FusionProof& next = report.lines[i + 1];
        const double price = line.pj_per_cycle.value_or(0.0);
        const double cycles = next.pj_per_cycle ? (next.least - line.least) / (*next.pj_per_cycle - price) : next.least;
        bound.marks.push_back({cycles, (line.least - price * cycles) * views::kJoulesPerPicojoule, ""});
    }
    plot::Plane plane{"Front of energy and latency", {"latency", "cycles", true}, {"energy", "J", true}, {}};
    for (plot::Series* series : {&found, &bound}) plane.series.push_back(std::move(*series));
    return views::Figure{"fusion",
                         of_what(report) +
                             ": mappings that none found beats in both, above corners of proven lines "
                             "under which no mapping of the space lies.",
                         std::move(plane), ""};
}

std::vector<views::Figure> fusion_figures(const FusionReport& report) {
    std::vector<views::Figure> figures;
    if (!report.ways.empty()) figures = {energies(report), traffic(report)};
    if (std::optional<views::Figure> front = front_figure(report)) figures.push_back(*std::move(front));
    if (std::optional<views::Figure> curve = buffers_figure(report)) figures.push_back(*std::move(curve));
    if (!report.groups.empty()) figures.push_back(occupancy(report));
    std::size_t drawn = 0;
    for (const FusionGroup& group : report.groups)
        if (group.einsums.size() > 1 && ++drawn <= kMostGroups) figures.push_back(tree(report, group));
    return figures;
}

}  // namespace tilewright::report
