// Chained: a lower bound on the energy of all even mappings of one assignment in which tiles contain each other.
// Internal to certificate/.
//
// The loops just outside a memory's tile come before those outside the next memory's. A tensor stays where it is while
// loops run that do not move it: if any loop between the two tiles moves it, at most for those between them that do
// not. So what the inner memory is sent depends on its own tile along the dimensions that move the tensor and on the
// outer tile along all others.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/perfect/tile_numbers.hpp"

namespace tilewright::certificate {

/// By level and point: the least energy of the deliveries to this memory and all further out when the loops inside it
/// make the point. Infinite when no tile around it fits some memory. Nothing when all mappings take so much that it is
/// `out_of_reach`, which is asked as the bound grows.
std::optional<std::vector<std::vector<double>>> chained_pj(const Charges& charges, TileNumbers& tiles,
                                                           const std::function<bool(double pj)>& out_of_reach);

}  // namespace tilewright::certificate
