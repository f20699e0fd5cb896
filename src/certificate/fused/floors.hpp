// What every einsum of a cascade costs at least, whatever is fused.
#pragma once

#include <vector>

#include "certificate/fused/nests.hpp"
#include "certificate/fused/prices.hpp"
#include "certificate/fused/space.hpp"

namespace tilewright::certificate::fused_proof {

/// By einsum, all repeats: operations on what is needed of its results, what the array asks of the buffer for them, and
/// words without other readers, once.
std::vector<double> floors(const Space& space, const Prices& prices, const Weights& weights,
                           std::vector<Nests::PerPoint> array);

}  // namespace tilewright::certificate::fused_proof
