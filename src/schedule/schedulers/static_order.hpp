// The static baseline: a nest of tile loops over fixed regions of the scratchpad, one per operand.
//
// Operations run in loop order. One loop is spread over the cores: n neighbouring iterations make a set. Every operand
// has a region of equal slots; a missing tile is loaded into a free slot or the least recently used one, an evicted
// partial sum is spilled and reloaded, and a final output is stored at once.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "schedule/problem/bounds.hpp"

namespace tilewright::schedule {

struct StaticPlan {
    PerDim tiling;
    std::array<Dim, kDims> order{Dim::out_w, Dim::out_h, Dim::in_c, Dim::out_c};  ///< outermost first
    std::int64_t cores = 1;                                                       ///< in use
    Dim spread = Dim::out_c;                                                      ///< the loop shared by them
    std::array<std::int64_t, kOperands> slots{};  ///< region of each operand, by Operand

    bool operator==(const StaticPlan&) const = default;
};

/// "ow oh ic oc*4, slots 2 + 4 + 4": the spread loop, over four cores; tiles of inputs, weights, outputs.
std::string to_text(const StaticPlan& plan);

/// Spreadable loops: only the innermost (Flexer, Fig. 3b), or any; the loop over input channels only as innermost.
enum class Spread { innermost, any };

struct PlanSpace {
    Spread spread = Spread::any;
    bool one_size = false;   ///< all cores, and one choice of region sizes per order: a set of inputs and of weights,
                             ///< the rest outputs
    bool one_order = false;  ///< only ow oh ic oc, Fig. 3c's
};

/// Baselines, from weak to strong.
enum class Rung {
    first,       ///< the first fitting tiling, sizes descending from the whole layer, in the order of Fig. 3c
    order,       ///< the best order of this tiling
    regions,     ///< the best of all tilings and orders, one choice of region sizes for each
    exhaustive,  ///< the best of all tilings and plans
};

/// Minimum slots: tiles of an operand needed by one set.
std::int64_t tiles_per_set(const OperationGraph& graph, const StaticPlan& plan, Operand operand);

std::vector<std::vector<int>> static_sets(const OperationGraph& graph, const StaticPlan& plan);

/// Requires slots for a set of every operand, fitting regions, and the graph of plan.tiling.
Schedule run_static(const OperationGraph& graph, const StaticPlan& plan, LatencyRule rule);

/// Closed-form lower bound on run_static()'s traffic; exact if every region holds a revisited working set whole or
/// lacks a whole set of it.
std::int64_t least_static_traffic(const OperationGraph& graph, const StaticPlan& plan);

/// All plans for a graph: every order of non-trivial loops, every spread loop, every number of cores, and every
/// non-redundant choice of region sizes. More slots never load more, so the input and weight regions take each critical
/// size (a revisited working set kept in part or whole; under `overlap` also one more set for loads ahead), and the
/// rest goes to the outputs, then to the others. Plans on fewer than `least_cores` cores are left out.
std::vector<StaticPlan> static_plans(const OperationGraph& graph, LatencyRule rule, const PlanSpace& space,
                                     std::int64_t least_cores = 1);

/// Those plans, best lower bound first; at most `most`.
std::vector<StaticPlan> promising_plans(const OperationGraph& graph, const Bounds& bounds, LatencyRule rule,
                                        const Objective& objective, const PlanSpace& space, std::size_t most);

struct StaticBest {
    StaticPlan plan;
    Schedule schedule;
    Score score;
};

/// A tiling, and its promise: the minimum bound of its plans.
struct PromisingTiling {
    double promise = 0.0;
    std::size_t index = 0;  ///< among the tilings given

    auto operator<=>(const PromisingTiling&) const = default;
};

struct StaticOutcome {
    std::optional<StaticBest> best;          ///< none without a tiling
    std::vector<PromisingTiling> promising;  ///< the tilings tried, best promise first
};

/// Effort of the search, for reports.
struct StaticEffort {
    std::int64_t tilings = 0;        ///< fitting ones
    std::int64_t tilings_tried = 0;  ///< not ruled out by their bound
    std::int64_t plans = 0;          ///< of the tilings tried
    std::int64_t plans_simulated = 0;
};

/// The best plan over all tilings (bounds.hpp) and static_plans(); plans ruled out by a lower bound are not simulated.
/// Empty if no tiling fits. After a deadline or `stop`, the best so far.
StaticOutcome best_static(const MultiNpu& machine, const ConvLayer& layer, const std::vector<BoundedTiling>& tilings,
                          LatencyRule rule, const Objective& objective, const PlanSpace& space, const StopSource& stop,
                          StaticEffort& effort, const Deadline& deadline = {});

/// The best plan of a rung; as best_static() for Rung::exhaustive.
StaticOutcome baseline_of(Rung rung, const MultiNpu& machine, const ConvLayer& layer,
                          const std::vector<BoundedTiling>& tilings, LatencyRule rule, const Objective& objective,
                          Spread spread, const StopSource& stop, StaticEffort& effort, const Deadline& deadline = {});

}  // namespace tilewright::schedule
