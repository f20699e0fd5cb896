// Candidate tile sizes: per tile count along a dimension the evenest cut.
#pragma once

#include <vector>

#include "schedule/problem/bounds.hpp"

namespace tilewright::schedule {

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
