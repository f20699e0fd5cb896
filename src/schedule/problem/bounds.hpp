// Lower bounds on traffic and latency that hold for every schedule of an operation graph, static ones included.
// docs/schedule.md proves them.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/problem/schedule.hpp"

namespace tilewright::schedule {

struct Bounds {
    std::int64_t total_cycles = 0;    ///< of all operations, on one core
    std::int64_t compute_cycles = 0;  ///< all cores busy all the time, and no chain cut short
    std::int64_t distinct_bytes = 0;  ///< every tile moved once
    std::int64_t reuse_bytes = 0;     ///< what a scratchpad of this size has to reload (Loomis-Whitney); may be smaller
    std::int64_t traffic_bytes = 0;   ///< the larger of the two
    std::int64_t latency_cycles = 0;  ///< under the rule asked for
};

/// What work in a scratchpad of this size has to load or begin, whatever its order (docs/schedule.md, "Reuse"). Work is
/// outputs * input channels, without kernel points.
class ReuseBound {
   public:
    /// least_bytes_from() alone needs to know segments of all sizes.
    explicit ReuseBound(const Problem& problem, bool of_all_sizes = true);

    /// Bytes of loads, and of blocks of outputs that are begun, while this much of the work is done. May be negative.
    std::int64_t least_bytes(std::int64_t work) const;
    /// The same from a scratchpad that holds `resident` bytes, and with what the last segment needs: never less.
    std::int64_t least_bytes_from(std::int64_t work, std::int64_t resident) const;

   private:
    /// No work of more than `most_work` is done on tiles of `bytes`.
    double least_touched(double work) const;

    struct Segment {
        double bytes = 0.0;      ///< that come in it
        double most_work = 0.0;  ///< that can be done in it
    };
    double memory_ = 0.0;
    std::vector<Segment> segments_;
    std::vector<Segment> touched_;  ///< in segments that touch so many bytes, rising
};

/// Without making the graph: from the layer, the tile sizes and the machine alone. Throws OverflowError.
Bounds bounds_of(const Problem& problem, LatencyRule rule);

/// objective.value() of the bounds: no schedule of this problem is better.
double bound_of(const Bounds& bounds, const Objective& objective);

/// Same, when at least `traffic_bytes` are known to be moved and only `cores` of the cores are used.
double bound_of_plan(const Problem& problem, const Bounds& bounds, LatencyRule rule, const Objective& objective,
                     std::int64_t traffic_bytes, std::int64_t cores);

}  // namespace tilewright::schedule
