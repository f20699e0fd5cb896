// Lower bounds for one assignment without walking its nests: every memory by itself takes the tile that suits it best.
#pragma once

#include <vector>

#include "mapper/optimal/charges.hpp"
#include "mapper/optimal/lattice.hpp"

namespace tilewright::optimal {

/// By memory l: the least energy of the deliveries to memories 0 to l - 1, whatever the temporal loops; one entry more
/// than memories. Infinite when no tile fits some memory.
std::vector<double> outside_bounds_pj(const Charges& charges, const Lattice& lattice);

/// Energy of any nest of the assignment is at least this: no tile is looked at, every word is delivered once.
double compulsory_pj(const Charges& charges);

/// Energy of delivering a tensor to memory `level` whose tile has `loops` inside, whatever the loops outside: at least
/// this.
double least_delivery_pj(const Charges& charges, int tensor, int level, const Extents& loops);

}  // namespace tilewright::optimal
