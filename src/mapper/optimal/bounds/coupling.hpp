// B5: lower bound for even mappings with the extent of the loops between two memories.
//
// A tensor rests in a memory only during irrelevant loops, from the innermost one outwards. Either all loops between
// its tile and the next memory's tile are irrelevant, or it rests at most for the irrelevant ones between them. A
// delivery so depends on its own tile along relevant dimensions and on the next memory's tile along the others.
#pragma once

#include <vector>

#include "mapper/optimal/bounds/reach.hpp"
#include "mapper/optimal/bounds/tile_table.hpp"

namespace tilewright::optimal {

/// By level and point: least energy of the deliveries to that memory and all outside it, with loops `point` inside.
/// Empty for a memory without loops of its own, except the innermost; empty for all if only the outermost memory has
/// deliveries of several tensors.
std::vector<std::vector<double>> coupled_pj(const TileTable& tiles, const Reach& reach);

}  // namespace tilewright::optimal
