// Chained: a lower bound on the energy of all even mappings of one assignment in which tiles contain each other.
// Internal to certificate/.
//
// The loops just outside a memory's tile come before those outside the next memory's. A tensor stays where it is while
// loops run that do not move it: if any loop between the two tiles moves it, at most for those between them that do
// not. So what the inner memory is sent depends on its own tile along the dimensions that move the tensor and on the
// outer tile along all others.
#pragma once

#include <vector>

#include "certificate/common/charges.hpp"
#include "certificate/common/lattice.hpp"

namespace tilewright::certificate {

/// By level and point: the least energy of the deliveries to this memory and all further out when the loops inside it
/// make the point. Infinite when no tile around it fits some memory.
std::vector<std::vector<double>> chained_pj(const Charges& charges, const Lattice& lattice);

}  // namespace tilewright::certificate
