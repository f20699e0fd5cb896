// Temporal loops left by a spatial mapping, and their prime factors (LPFs), ordered by searches. ZigZag 3.8.5:
// zigzag/opt/loma/engine.py.
#pragma once

#include <vector>

#include "zigzag/accounting/spatial.hpp"
#include "zigzag/values/layer.hpp"
#include "zigzag/values/uneven_mapping.hpp"

namespace tilewright::zigzag {

/// One loop per dimension with more than one iteration, in the layer's order. The floating-point quotient of size and
/// fractional unrolling is rounded up: 34 over 34/7 units gives 8 iterations, not 7.
std::vector<TemporalLoop> temporal_loops(const Layer& layer, const SpatialMapping& spatial);

/// Prime factors of those loops, dimensions in the layer's order, factors ascending; one single-iteration loop if there
/// are none.
std::vector<TemporalLoop> loop_factors(const Layer& layer, const SpatialMapping& spatial);

/// At most `limit` factors, or one per dimension: repeatedly multiplies the two smallest of the dimension with the most
/// (the first on ties). Requires the result of loop_factors().
std::vector<TemporalLoop> limited(const std::vector<TemporalLoop>& factors, int limit);

}  // namespace tilewright::zigzag
