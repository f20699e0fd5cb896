#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/numbers/number_text.hpp"
#include "report/package/package_views.hpp"
#include "report/views/parts.hpp"

namespace tilewright::report {
namespace {

constexpr std::size_t kMostRuns = 24;  // each two pictures

std::string of_what(const PackageReport& report) { return report.cascade + " on " + report.package; }

void add_causes(const multicore::Energy& energy, std::size_t bar, views::Parts& parts) {
    for (const auto& [name, energy_pj] :
         {std::pair{"operations and buffers of leaves", energy.leaves}, std::pair{"words that leave", energy.sends},
          std::pair{"words that arrive", energy.arrivals}, std::pair{"partial sums", energy.sums},
          std::pair{"leakage", energy.leakage}})
        parts.add(bar, name, energy_pj * views::kJoulesPerPicojoule);
}

views::Figure energies(const PackageReport& report) {
    plot::StackedBars chart{"Energy by place", {}, {"energy", "J"}, {}};
    for (const PackageCore& core : report.cores) chart.bars.push_back(fmt::format("core {}", core.core));
    for (const PackageDram& dram : report.drams) chart.bars.push_back(fmt::format("DRAM {}", dram.dram));
    chart.bars.emplace_back("links");
    chart.bars.emplace_back("between chiplets");
    views::Parts parts(chart.bars.size());
    std::size_t bar = 0;
    for (const PackageCore& core : report.cores) add_causes(core.energy, bar++, parts);
    for (const PackageDram& dram : report.drams) parts.add(bar++, "DRAM", dram.energy_pj * views::kJoulesPerPicojoule);
    parts.add(bar++, "links", report.energy.links * views::kJoulesPerPicojoule);
    parts.add(bar, "links between chiplets", report.energy.d2d * views::kJoulesPerPicojoule);
    chart.parts = parts.take();
    return {"package", of_what(report) + ": what every core, DRAM and sort of link spends, by cause.", std::move(chart),
            ""};
}

std::string run_text(const PackageRun& run) {
    if (run.stages.empty()) return "a run";
    const std::string& first = run.stages.front().einsum;
    return run.stages.size() == 1 ? first : first + " .. " + run.stages.back().einsum;
}

// First cycles of the slots, and the end of the last.
std::vector<double> starts_of(const PackageRun& run) {
    std::vector<double> starts{0.0};
    for (const PackageSlot& slot : run.slots) starts.push_back(starts.back() + static_cast<double>(slot.cycles));
    return starts;
}

class Gantt {
   public:
    Gantt(const PackageReport& report, const PackageRun& run) : run_(run), starts_(starts_of(run)) {
        chart_.title = "Slots: " + run_text(run);
        chart_.x = {"time", "cycles"};
        std::vector<bool> used(report.cores.size(), false);
        for (const PackageStage& stage : run.stages)
            for (const std::int64_t core : stage.cores)
                if (core < static_cast<std::int64_t>(used.size())) used[core] = true;
        for (std::size_t c = 0; c < used.size(); ++c)
            if (used[c]) {
                rows_[static_cast<std::int64_t>(c)] = chart_.rows.size();
                chart_.rows.push_back(fmt::format("core {}", c));
            }
        chart_.rows.emplace_back("links, DRAMs");
        for (const PackageStage& stage : run.stages) chart_.kinds.push_back(stage.einsum);
        chart_.kinds.emplace_back("words move");
    }

    plot::Blocks draw() {
        for (std::size_t i = 0; i < run_.slots.size(); ++i) add_slot(i);
        return std::move(chart_);
    }

   private:
    // Stages of a core one after the other, then what moves in the meantime.
    void add_slot(std::size_t i) {
        const PackageSlot& slot = run_.slots[i];
        std::map<std::int64_t, double> busy;
        for (std::size_t k = 0; k < run_.stages.size(); ++k) {
            const PackageStage& stage = run_.stages[k];
            const std::int64_t step = slot.slot - stage.first_slot;
            if (step < 0 || step >= static_cast<std::int64_t>(stage.step_cycles.size())) continue;
            const auto cycles = static_cast<double>(stage.step_cycles[step]);
            for (const std::int64_t core : stage.cores) {
                const auto row = rows_.find(core);
                if (row == rows_.end() || cycles == 0.0) continue;
                add(starts_[i] + busy[core], cycles, row->second, k,
                    fmt::format("{}, step {} in slot {}: {} cycles", stage.einsum, step, slot.slot,
                                count_text(stage.step_cycles[step])));
                busy[core] += cycles;
            }
        }
        if (slot.moving_cycles > 0)
            add(starts_[i], static_cast<double>(slot.moving_cycles), chart_.rows.size() - 1, run_.stages.size(),
                fmt::format("slot {}: words move for {} cycles; bound by {}", slot.slot, count_text(slot.moving_cycles),
                            slot.bound_by));
    }

    void add(double start, double cycles, std::size_t row, std::size_t kind, std::string label) {
        const auto low = static_cast<double>(row);
        chart_.blocks.push_back({start, start + cycles, low, low + 1.0, kind, std::move(label)});
    }

    const PackageRun& run_;
    std::vector<double> starts_;
    std::map<std::int64_t, std::size_t> rows_;  // by core
    plot::Blocks chart_;
};

views::Figure gantt(const PackageReport& report, const PackageRun& run) {
    return {
        "package",
        fmt::format("{}: steps of {} on their cores, one run. A slot takes as long as its slowest core, link or DRAM; "
                    "a stage is drawn as long as the slowest core of its team.",
                    of_what(report), run.step),
        Gantt(report, run).draw(), ""};
}

// Routers as squares, links as bars between them: to the right and down beside those to the left and up.
class LinkMap {
   public:
    explicit LinkMap(const PackageReport& report) : report_(report) {
        chart_.title = "Loads of links on the mesh";
        chart_.x = {"column", ""};
        chart_.y = {"row", ""};
        chart_.kinds = {"router",           "router with DRAM",     "link, busy below 25 %", "link, 25 to 50 %",
                        "link, 50 to 75 %", "link, busy over 75 %", "edge of chiplets"};
    }

    plot::Blocks draw() {
        for (std::int64_t y = 0; y < report_.mesh.rows; ++y)
            for (std::int64_t x = 0; x < report_.mesh.columns; ++x) add_router(x, y);
        for (const PackageLink& link : report_.links)
            if (link.sort != "local") add_link(link);
        add_edges();
        return std::move(chart_);
    }

   private:
    // A router stands in the middle of its square.
    static double place(std::int64_t router) { return static_cast<double>(router) + (1.0 - kRouter) / 2.0; }

    void add_edges() {
        const PackageMesh& mesh = report_.mesh;
        const auto columns = static_cast<double>(mesh.columns);
        const auto rows = static_cast<double>(mesh.rows);
        for (std::int64_t x = mesh.chiplet_columns; x < mesh.columns; x += mesh.chiplet_columns) {
            const auto at = static_cast<double>(x);
            chart_.blocks.push_back({at - kEdge, at + kEdge, 0.0, rows, kEdgeKind, "between chiplets"});
        }
        for (std::int64_t y = mesh.chiplet_rows; y < mesh.rows; y += mesh.chiplet_rows) {
            const auto at = static_cast<double>(y);
            chart_.blocks.push_back({0.0, columns, at - kEdge, at + kEdge, kEdgeKind, "between chiplets"});
        }
    }

    void add_router(std::int64_t x, std::int64_t y) {
        std::string label = fmt::format("router ({},{})", x, y);
        std::size_t kind = 0;
        for (const PackageDram& dram : report_.drams)
            if (dram.x == x && dram.y == y) {
                label += fmt::format(", DRAM {}: {} words", dram.dram, count_text(dram.words));
                kind = 1;
            }
        for (const PackageCore& core : report_.cores)
            if (core.x == x && core.y == y)
                label += fmt::format(", core {}: busy {}", core.core, share_text(share(core.busy_cycles)));
        chart_.blocks.push_back({place(x), place(x) + kRouter, place(y), place(y) + kRouter, kind, std::move(label)});
    }

    void add_link(const PackageLink& link) {
        const double busy = share(link.busy_cycles);
        const std::size_t kind = 2 + (busy >= 0.25) + (busy >= 0.5) + (busy >= 0.75);
        const bool onward = link.to_x > link.x || link.to_y > link.y;
        const double aside = onward ? kAside : kRouter - kAside - kWide;
        plot::Block block{0.0,
                          0.0,
                          0.0,
                          0.0,
                          kind,
                          fmt::format("{} {}: {} words, busy {}, decides {} slots", link.sort, link.link,
                                      count_text(link.words), share_text(busy), count_text(link.deciding_slots))};
        const std::int64_t x = std::min(link.x, link.to_x);
        const std::int64_t y = std::min(link.y, link.to_y);
        if (link.y == link.to_y) {
            block.begin = place(x) + kRouter;
            block.end = place(x + 1);
            block.low = place(y) + aside;
            block.high = block.low + kWide;
        } else {
            block.begin = place(x) + aside;
            block.end = block.begin + kWide;
            block.low = place(y) + kRouter;
            block.high = place(y + 1);
        }
        chart_.blocks.push_back(std::move(block));
    }

    double share(std::int64_t cycles) const {
        return report_.cycles > 0 ? static_cast<double>(cycles) / static_cast<double>(report_.cycles) : 0.0;
    }

    static constexpr double kRouter = 0.5;
    static constexpr double kAside = 0.05;
    static constexpr double kWide = 0.15;
    static constexpr double kEdge = 0.015;
    static constexpr std::size_t kEdgeKind = 6;

    const PackageReport& report_;
    plot::Blocks chart_;
};

views::Figure mesh(const PackageReport& report) {
    return {"package",
            of_what(report) +
                ": routers, and the links between them by the share of all cycles in which their words move. "
                "Of two links side by side the lower or left one goes onward; thin lines are between chiplets.",
            LinkMap(report).draw(), ""};
}

views::Figure room(const PackageReport& report, const PackageRun& run) {
    plot::Blocks chart{fmt::format("Room of core {}: {}", run.fullest_core, run_text(run)),
                       {"time", "cycles"},
                       {},
                       {"words", ""},
                       {},
                       {}};
    const std::vector<double> starts = starts_of(run);
    std::vector<double> height(run.slots.size(), 0.0);
    for (const PackageRoom& one : run.room) {
        const std::size_t kind = chart.kinds.size();
        chart.kinds.push_back(one.tensor);
        for (std::size_t i = 0; i < std::min(height.size(), one.fullest_words.size()); ++i) {
            const auto words = static_cast<double>(one.fullest_words[i]);
            if (words == 0.0) continue;
            chart.blocks.push_back({starts[i], starts[i + 1], height[i], height[i] + words, kind,
                                    fmt::format("{}, slot {}: {} words", one.tensor, run.slots[i].slot,
                                                count_text(one.fullest_words[i]))});
            height[i] += words;
        }
    }
    const auto core = std::ranges::find(report.cores, run.fullest_core, &PackageCore::core);
    return {"package",
            fmt::format("{}: words that stand in core {}, the fullest of the run; its buffer has {}.", of_what(report),
                        run.fullest_core, core == report.cores.end() ? "?" : count_text(core->buffer_words)),
            std::move(chart), ""};
}

}  // namespace

std::vector<views::Figure> package_figures(const PackageReport& report) {
    std::vector<views::Figure> figures{energies(report), mesh(report)};
    for (std::size_t r = 0; r < std::min(report.runs.size(), kMostRuns); ++r) {
        figures.push_back(gantt(report, report.runs[r]));
        figures.push_back(room(report, report.runs[r]));
    }
    return figures;
}

}  // namespace tilewright::report
