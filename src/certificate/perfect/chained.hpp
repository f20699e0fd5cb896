// Chained: lower bound of an assignment's even mappings with nested tiles (C2). Internal to certificate/.
//
// Loops just outside a memory's tile come before those outside the next memory's. A tensor rests during irrelevant
// loops: if any loop between the two tiles moves it, at most for the irrelevant ones between. The inner memory's
// delivery therefore depends on its own tile along relevant dimensions and on the outer tile along all others.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/perfect/tile_numbers.hpp"

namespace tilewright::certificate {

/// By level and point: least energy of the deliveries to this memory and outside, with the point's loops inside.
/// Infinite if no tile around it fits some memory. Nothing if all mappings are `out_of_reach`.
std::optional<std::vector<std::vector<double>>> chained_pj(const Charges& charges, TileNumbers& tiles,
                                                           const std::function<bool(double pj)>& out_of_reach);

}  // namespace tilewright::certificate
