// Coupling: a bound for even mappings that knows how far the loops between two memories reach.
//
// A tensor rests in a memory only while loops run that do not move it, from the innermost one outwards. Either all
// loops between its tile and the next memory's tile do not move it, or it rests at most for those between them that do
// not. So what a memory is sent depends on its own tile along the dimensions that move the tensor, and on the next
// memory's tile along the others.
#pragma once

#include <vector>

#include "mapper/optimal/bounds/reach.hpp"
#include "mapper/optimal/bounds/tile_table.hpp"

namespace tilewright::optimal {

/// By level and point: the least energy of the deliveries to that memory and all outside it, when the loops inside it
/// make the point. Empty for a memory without loops of its own, unless it is the innermost one; and for
/// all where no memory but the outermost is sent several tensors.
std::vector<std::vector<double>> coupled_pj(const TileTable& tiles, const Reach& reach);

}  // namespace tilewright::optimal
