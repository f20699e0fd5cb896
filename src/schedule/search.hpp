// The search for one layer: the static baseline, other schedules, the best of all, and bounds on every one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/stop.hpp"
#include "schedule/bounds.hpp"
#include "schedule/static_order.hpp"

namespace tilewright::schedule {

struct SearchOptions {
    LatencyRule rule = LatencyRule::overlap;
    Objective objective;
    Spread spread = Spread::any;  ///< of the static baseline
};

/// A schedule and how it came about.
struct Found {
    std::string how;  ///< "static: ow oh ic oc*2, slots 2 + 4 + 4"
    Problem problem;
    Schedule schedule;
    Score score;
    Bounds bounds;  ///< of its tiling
};

/// What no schedule of the layer undercuts, whatever its tile sizes.
struct LayerBounds {
    std::int64_t latency_cycles = 0;
    std::int64_t traffic_bytes = 0;
    double value =
        0.0;  ///< of the objective; each tiling gives its own latency and traffic, so it may exceed their product
};

struct LayerAnswer {
    std::optional<Found> baseline;  ///< the best static schedule; none when no tiling fits
    std::optional<Found> best;      ///< never worse than the baseline
    LayerBounds bounds;             ///< over all tilings
    StaticEffort static_effort;
};

/// The same answer on every machine that runs it. When `stop` is requested, the best so far, which may be nothing.
LayerAnswer search_layer(const Machine& machine, const ConvLayer& layer, const SearchOptions& options,
                         const StopSource& stop);

}  // namespace tilewright::schedule
