// Lower bounds on traffic and latency for every schedule of an operation graph, static ones included. Proofs:
// docs/schedule.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/problem/schedule.hpp"

namespace tilewright::schedule {

struct Bounds {
    std::int64_t total_cycles = 0;    ///< of all operations, on one core
    std::int64_t compute_cycles = 0;  ///< all cores busy, chains respected
    std::int64_t distinct_bytes = 0;  ///< every tile moved once
    std::int64_t reuse_bytes = 0;     ///< reloads forced by the scratchpad's size (Loomis-Whitney); may be smaller
    std::int64_t traffic_bytes = 0;   ///< the larger of the two
    std::int64_t latency_cycles = 0;  ///< under the given rule
};

/// Lower bound on loads and newly begun outputs for work in a scratchpad of this size, in any order (docs/schedule.md,
/// "Reuse"). Work: outputs * input channels, without kernel points.
class ReuseBound {
   public:
    /// Segments of all sizes are needed by least_bytes_from() only.
    explicit ReuseBound(const Problem& problem, bool of_all_sizes = true);

    /// Bytes of loads and of newly begun output blocks during this work. May be negative.
    std::int64_t least_bytes(std::int64_t work) const;
    /// The same from a scratchpad with `resident` bytes, the last segment's needs included: never less.
    std::int64_t least_bytes_from(std::int64_t work, std::int64_t resident) const;

   private:
    /// Lower bound on the tile bytes touched by this work in one segment: fewer bytes have a smaller `most_work`.
    double least_touched(double work) const;

    struct Segment {
        double bytes = 0.0;      ///< incoming
        double most_work = 0.0;  ///< upper bound of its work
    };
    double memory_ = 0.0;
    std::vector<Segment> segments_;
    std::vector<Segment> touched_;  ///< in segments touching this many bytes, rising
};

/// Without the graph: from layer, tile sizes and machine alone. Throws OverflowError.
Bounds bounds_of(const Problem& problem, LatencyRule rule);

/// objective.value() of the bounds: a lower bound for the problem.
double bound_of(const Bounds& bounds, const Objective& objective);

/// Same, with at least `traffic_bytes` moved and only `cores` of the cores in use.
double bound_of_plan(const Problem& problem, const Bounds& bounds, LatencyRule rule, const Objective& objective,
                     std::int64_t traffic_bytes, std::int64_t cores);

// Found: a schedule and its origin.

struct Found {
    std::string how;  ///< "static: ow oh ic oc*2, slots 2 + 4 + 4"
    Problem problem;
    Schedule schedule;
    Score score;
    Bounds bounds;  ///< of its tiling
};

// Candidate tile sizes: per tile count along a dimension the evenest cut.

/// Along an image dimension: per possible tile count the smallest size. Along channels: the same in multiples of the
/// core's array (or the extent, if smaller), since a core takes as long for a fraction. Ascending.
std::vector<std::int64_t> tile_sizes(std::int64_t extent, std::int64_t granule);

struct BoundedTiling {
    PerDim tiling;
    Bounds bounds;
    double bound = 0.0;  ///< of the objective
};

/// All tilings fitting the scratchpad, best bound first; on ties fewer operations, then size.
std::vector<BoundedTiling> tilings(const MultiNpu& machine, const ConvLayer& layer, LatencyRule rule,
                                   const Objective& objective);

}  // namespace tilewright::schedule
