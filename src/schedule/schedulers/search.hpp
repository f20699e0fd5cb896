// The search for one layer: the static baseline, other schedules, the overall best, and bounds.
#pragma once

#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "schedule/schedulers/flexer.hpp"
#include "schedule/schedulers/list_scheduler.hpp"
#include "schedule/schedulers/static_order.hpp"

namespace tilewright::schedule {

/// Schedulers beside the static baseline.
enum class Scheduler {
    ours,    ///< all dynamic schedulers, on the most promising tilings; then Algorithm 1 if short
    flexer,  ///< Flexer's Algorithm 1 alone, on every tiling with every data flow
    both,    ///< Flexer's, then ours from its answer
};

struct SearchOptions {
    Scheduler scheduler = Scheduler::ours;
    Rung baseline = Rung::exhaustive;
    LatencyRule rule = LatencyRule::overlap;
    Objective objective;
    Spread spread = Spread::any;  ///< of the static baseline
    bool as_published = false;    ///< only the list scheduler, with every data flow
    SetPriority priority = SetPriority::memory_benefit;
    MemoryPolicy memory = MemoryPolicy::least_fragmentation;
    std::int64_t tilings = 200;           ///< number of tilings for dynamic schedulers: the most promising
    int beam = 4;                         ///< partial schedules of the look-ahead, on small graphs; 0: none
    std::int64_t most_operations = 4096;  ///< limit on their tilings
    Deadline deadline;                    ///< then the best so far is returned; without one the answer is deterministic
};

/// Lower bounds for all of the layer's schedules, over all tried tile sizes.
struct LayerBounds {
    std::int64_t latency_cycles = 0;
    std::int64_t traffic_bytes = 0;
    double value = 0.0;  ///< of the objective; each tiling gives its own latency and traffic, so it may exceed theirs
};

struct DynamicEffort {
    std::int64_t tilings = 0;
    std::int64_t schedules = 0;
    /// Over the data flows of the list scheduler's best tiling: worst over best objective.
    double data_flow_ratio = 1.0;
    /// Tilings not ruled out by their bound and not visited by all, and the minimum of those bounds: their potential. 0
    /// without any.
    std::int64_t tilings_left = 0;
    double least_left = 0.0;
};

struct LayerAnswer {
    std::optional<Found> baseline;   ///< the best static schedule; none if no tiling fits
    std::optional<Found> published;  ///< the list scheduler's best, if run
    std::optional<Found> best;       ///< never worse than the baseline, except for Scheduler::flexer: its answer
    LayerBounds bounds;              ///< over all tilings
    StaticEffort static_effort;
    DynamicEffort dynamic_effort;
    /// If Algorithm 1 was run; under Scheduler::ours only for improvements over its other schedules.
    std::optional<FlexerEffort> flexer_effort;
};

LayerBounds layer_bounds(const MultiNpu& machine, const ConvLayer& layer, LatencyRule rule, const Objective& objective);

/// One tiling's own result, without other tilings'.
struct TilingResult {
    PerDim tiling;
    Bounds bounds;
    std::int64_t operations = 0;
    /// The best static schedule; none with too many operations, or if stopped.
    std::optional<Score> fixed;
    /// The list scheduler's, same: of the first data flow, or as_published the best of all.
    std::optional<Score> listed;
};

/// Every fitting tiling, best bound first (Flexer, Fig. 1); beyond options.most_operations with bounds alone.
std::vector<TilingResult> every_tiling(const MultiNpu& machine, const ConvLayer& layer, const SearchOptions& options,
                                       const StopSource& stop);

/// Deterministic on every host, unless there is a deadline. After `stop`, the best so far, possibly none.
LayerAnswer search_layer(const MultiNpu& machine, const ConvLayer& layer, const SearchOptions& options,
                         const StopSource& stop);

}  // namespace tilewright::schedule
