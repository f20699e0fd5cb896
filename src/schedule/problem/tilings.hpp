// Which tile sizes are tried: of every number of tiles along a dimension the evenest cut.
#pragma once

#include <vector>

#include "schedule/problem/bounds.hpp"

namespace tilewright::schedule {

/// Along a dimension of images: for every possible number of tiles the smallest size that makes so many. Along
/// channels: the same in whole multiples of the core's array (or the extent, where it is smaller), because a core takes
/// as long for a part of one. Ascending.
std::vector<std::int64_t> tile_sizes(std::int64_t extent, std::int64_t granule);

struct BoundedTiling {
    PerDim tiling;
    Bounds bounds;
    double bound = 0.0;  ///< of the objective
};

/// All tilings whose operations fit in the scratchpad, best bound first; equal bounds by fewer operations, then by
/// size.
std::vector<BoundedTiling> tilings(const MultiNpu& machine, const ConvLayer& layer, LatencyRule rule,
                                   const Objective& objective);

}  // namespace tilewright::schedule
