// Which temporal loops a spatial mapping leaves, and the prime factors (LPFs) that searches put in order.
// ZigZag 3.8.5: zigzag/opt/loma/engine.py.
#pragma once

#include <vector>

#include "zigzag/accounting/spatial.hpp"
#include "zigzag/values/layer.hpp"
#include "zigzag/values/uneven_mapping.hpp"

namespace tilewright::zigzag {

/// One loop for each dimension that is iterated more than once, in the layer's order. The quotient of a size and a
/// fractional unrolling is rounded up as it comes out of the division: 34 over 34/7 units makes 8 iterations, not 7.
std::vector<TemporalLoop> temporal_loops(const Layer& layer, const SpatialMapping& spatial);

/// The prime factors of those loops, dimensions in the layer's order, factors ascending; one loop of a single iteration
/// when there are none.
std::vector<TemporalLoop> loop_factors(const Layer& layer, const SpatialMapping& spatial);

/// At most `limit` factors, or one for each dimension: of the dimension with the most (the first of several), the two
/// smallest are multiplied until so few are left. Requires what loop_factors() returned.
std::vector<TemporalLoop> limited(const std::vector<TemporalLoop>& factors, int limit);

}  // namespace tilewright::zigzag
