// The search for one layer: the static baseline, other schedules, the best of all, and bounds on every one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/stop.hpp"
#include "schedule/bounds.hpp"
#include "schedule/list_scheduler.hpp"
#include "schedule/static_order.hpp"

namespace tilewright::schedule {

struct SearchOptions {
    LatencyRule rule = LatencyRule::overlap;
    Objective objective;
    Spread spread = Spread::any;  ///< of the static baseline
    bool as_published = false;    ///< only the list scheduler, with every data flow
    SetPriority priority = SetPriority::memory_benefit;
    MemoryPolicy memory = MemoryPolicy::least_fragmentation;
    std::int64_t tilings = 24;  ///< on which dynamic schedulers are run: those whose static plans promise most
    int beam = 4;               ///< partial schedules that the look-ahead carries on, on small graphs; 0: none
    std::int64_t most_operations = 4096;  ///< of a tiling that they are run on
    Deadline deadline;  ///< the best so far is returned then; without one the answer is always the same
};

/// A schedule and how it came about.
struct Found {
    std::string how;  ///< "static: ow oh ic oc*2, slots 2 + 4 + 4"
    Problem problem;
    Schedule schedule;
    Score score;
    Bounds bounds;  ///< of its tiling
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
};

struct LayerAnswer {
    std::optional<Found> baseline;   ///< the best static schedule; none when no tiling fits
    std::optional<Found> published;  ///< the best of the list scheduler, where it was run
    std::optional<Found> best;       ///< never worse than the baseline
    LayerBounds bounds;              ///< over all tilings
    StaticEffort static_effort;
    DynamicEffort dynamic_effort;
};

LayerBounds layer_bounds(const Machine& machine, const ConvLayer& layer, LatencyRule rule, const Objective& objective);

/// What one tiling comes to by itself, without what other tilings found.
struct TilingPoint {
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
std::vector<TilingPoint> every_tiling(const Machine& machine, const ConvLayer& layer, const SearchOptions& options,
                                      const StopSource& stop);

/// The same answer on every machine that runs it, unless there is a deadline. When `stop` is requested, the best so
/// far, which may be nothing.
LayerAnswer search_layer(const Machine& machine, const ConvLayer& layer, const SearchOptions& options,
                         const StopSource& stop);

}  // namespace tilewright::schedule
