// The static baseline: a nest of tile loops over fixed regions of the scratchpad, one per operand.
//
// Operations run in loop order. One loop is spread over the cores: n of its neighbouring iterations make a set. Every
// operand has a region of equal slots; a tile that is not in its region is loaded into a free slot or into the one used
// longest ago, a partial sum that has to make room is spilled and read again, and a finished output is stored at once.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "schedule/problem/tilings.hpp"

namespace tilewright::schedule {

struct StaticPlan {
    PerDim tiling;
    std::array<Dim, kDims> order{Dim::out_w, Dim::out_h, Dim::in_c, Dim::out_c};  ///< outermost first
    std::int64_t cores = 1;                                                       ///< that are used
    Dim spread = Dim::out_c;                      ///< the loop whose iterations they share
    std::array<std::int64_t, kOperands> slots{};  ///< of the region of each operand, by Operand

    bool operator==(const StaticPlan&) const = default;
};

/// "ow oh ic oc*4, slots 2 + 4 + 4": the loop that is spread, over four cores; tiles of inputs, weights, outputs.
std::string to_text(const StaticPlan& plan);

/// Which loop may be spread over the cores: only the innermost (Flexer, Fig. 3b), or any but that over input channels,
/// which is spread only where it is innermost.
enum class Spread { innermost, any };

/// Which static plans are looked at.
struct PlanSpace {
    Spread spread = Spread::any;
    bool one_size = false;   ///< on all cores, and every order with one choice of region sizes: a set of inputs and of
                             ///< weights, the rest outputs
    bool one_order = false;  ///< only ow oh ic oc, Fig. 3c's
};

/// Baselines, from weak to strong.
enum class Rung {
    first,       ///< the first tiling that fits, sizes going down from the whole layer, in the order of Fig. 3c
    order,       ///< the best order of that tiling
    regions,     ///< the best of all tilings and orders, one choice of region sizes for each
    exhaustive,  ///< the best of all tilings and plans
};
inline constexpr std::array<const char*, 4> kRungNames{"first", "order", "regions", "exhaustive"};

/// Tiles of an operand that one set needs at most: the least number of slots.
std::int64_t tiles_per_set(const OperationGraph& graph, const StaticPlan& plan, Operand operand);

/// The sets in which the operations of a plan run.
std::vector<std::vector<int>> static_sets(const OperationGraph& graph, const StaticPlan& plan);

/// Requires slots for a set of every operand, regions that fit, and the graph of plan.tiling.
Schedule run_static(const OperationGraph& graph, const StaticPlan& plan, LatencyRule rule);

/// By closed form, at most the bytes that run_static() moves; exactly those when every region either holds what a loop
/// goes back over or lacks a whole set of it.
std::int64_t least_static_traffic(const OperationGraph& graph, const StaticPlan& plan);

/// All plans for a graph: every order of the loops that have more than one iteration, every loop to spread, every
/// number of cores, and every
/// choice of region sizes that no other makes superfluous. More slots never load more, so the input and the weight
/// region take each size at which something changes (what a loop goes back over is kept in part or whole; under
/// `overlap` also room for one more set, so that loads run ahead), and the rest of the scratchpad goes to the outputs,
/// then to the others. Plans on fewer than `least_cores` cores are left out.
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

/// A tiling that was tried, and what its plans promise: the least bound of any of them.
struct PromisingTiling {
    double promise = 0.0;
    std::size_t index = 0;  ///< among the tilings given

    auto operator<=>(const PromisingTiling&) const = default;
};

struct StaticOutcome {
    std::optional<StaticBest> best;          ///< none when there is no tiling
    std::vector<PromisingTiling> promising;  ///< the tilings tried, best promise first
};

/// What the search did, for reports.
struct StaticEffort {
    std::int64_t tilings = 0;        ///< that fit
    std::int64_t tilings_tried = 0;  ///< whose bound did not rule them out
    std::int64_t plans = 0;          ///< of the tilings tried
    std::int64_t plans_simulated = 0;
};

/// The best plan of all tilings (tilings.hpp) and static_plans(); what a lower bound rules out is not simulated.
/// Nothing when no tiling fits. After a deadline, or when `stop` is requested, the best so far.
StaticOutcome best_static(const MultiNpu& machine, const ConvLayer& layer, const std::vector<BoundedTiling>& tilings,
                          LatencyRule rule, const Objective& objective, const PlanSpace& space, const StopSource& stop,
                          StaticEffort& effort, const Deadline& deadline = {});

/// The best plan of a rung; as best_static() for Rung::exhaustive.
StaticOutcome baseline_of(Rung rung, const MultiNpu& machine, const ConvLayer& layer,
                          const std::vector<BoundedTiling>& tilings, LatencyRule rule, const Objective& objective,
                          Spread spread, const StopSource& stop, StaticEffort& effort, const Deadline& deadline = {});

}  // namespace tilewright::schedule
