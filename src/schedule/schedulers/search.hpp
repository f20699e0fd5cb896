// The search for one layer: the static baseline, other schedules, the best of all, and bounds on every one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/stop.hpp"
#include "schedule/schedulers/flexer.hpp"
#include "schedule/schedulers/list_scheduler.hpp"
#include "schedule/schedulers/static_order.hpp"

namespace tilewright::schedule {

/// Who schedules, beside the static baseline.
enum class Scheduler {
    ours,    ///< all dynamic schedulers, on the tilings that promise most; then Algorithm 1 where it is soon through
    flexer,  ///< Flexer's Algorithm 1 alone, on every tiling with every data flow
    both,    ///< Flexer's, then ours, which start from its answer
};
inline constexpr std::array<const char*, 3> kSchedulerNames{"ours", "flexer", "both"};

struct SearchOptions {
    Scheduler scheduler = Scheduler::ours;
    Rung baseline = Rung::exhaustive;
    LatencyRule rule = LatencyRule::overlap;
    Objective objective;
    Spread spread = Spread::any;  ///< of the static baseline
    bool as_published = false;    ///< only the list scheduler, with every data flow
    SetPriority priority = SetPriority::memory_benefit;
    MemoryPolicy memory = MemoryPolicy::least_fragmentation;
    std::int64_t tilings = 200;  ///< on which dynamic schedulers are run: those that promise most
    int beam = 4;                ///< partial schedules that the look-ahead carries on, on small graphs; 0: none
    std::int64_t most_operations = 4096;  ///< of a tiling that they are run on
    Deadline deadline;  ///< the best so far is returned then; without one the answer is always the same
};

/// What no schedule of the layer undercuts, whatever its tile sizes (of those that are tried).
struct LayerBounds {
    std::int64_t latency_cycles = 0;
    std::int64_t traffic_bytes = 0;
    double value = 0.0;  ///< of the objective; each tiling gives its own latency and traffic, so it may exceed theirs
};

struct DynamicEffort {
    std::int64_t tilings = 0;
    std::int64_t schedules = 0;
    /// Of the list scheduler over the data flows of the best tiling it found: the objective at worst over that at best.
    double data_flow_ratio = 1.0;
    /// Tilings on which not all of them were run, though their bound does not rule them out, and the least of those
    /// bounds: what they could come to at most. 0 when there are none.
    std::int64_t tilings_left = 0;
    double least_left = 0.0;
};

struct LayerAnswer {
    std::optional<Found> baseline;   ///< the best static schedule; none when no tiling fits
    std::optional<Found> published;  ///< the best of the list scheduler, where it was run
    std::optional<Found> best;       ///< never worse than the baseline, but for Scheduler::flexer: what that found
    LayerBounds bounds;              ///< over all tilings
    StaticEffort static_effort;
    DynamicEffort dynamic_effort;
    /// Where Algorithm 1 was run; of Scheduler::ours for what is better than its other schedules alone.
    std::optional<FlexerEffort> flexer_effort;
};

LayerBounds layer_bounds(const MultiNpu& machine, const ConvLayer& layer, LatencyRule rule, const Objective& objective);

/// What one tiling comes to by itself, without what other tilings found.
struct TilingResult {
    PerDim tiling;
    Bounds bounds;
    std::int64_t operations = 0;
    /// The best static schedule; none where there are too many operations, or it was stopped.
    std::optional<Score> fixed;
    /// The list scheduler's, same: of the first data flow, or as_published the best of all.
    std::optional<Score> listed;
};

/// Every tiling whose operations fit, best bound first (Flexer, Fig. 1); those of more operations than
/// options.most_operations with their bounds alone.
std::vector<TilingResult> every_tiling(const MultiNpu& machine, const ConvLayer& layer, const SearchOptions& options,
                                       const StopSource& stop);

/// The same answer on every machine that runs it, unless there is a deadline. When `stop` is requested, the best so
/// far, which may be nothing.
LayerAnswer search_layer(const MultiNpu& machine, const ConvLayer& layer, const SearchOptions& options,
                         const StopSource& stop);

}  // namespace tilewright::schedule
