// Lower bounds for one assignment without walking its nests: every memory by itself takes the tile that suits it best.
// In uneven mappings so does every tensor.
#pragma once

#include <functional>
#include <vector>

#include "mapper/optimal/charges.hpp"
#include "mapper/optimal/lattice.hpp"
#include "mapper/optimal/stages.hpp"

namespace tilewright::optimal {

/// By stage: the least energy of the deliveries to stores that it has not placed, whatever the temporal loops. Infinite
/// when no tile fits some memory. `give_up`: asked, as the bound grows, whether a nest of at least so much energy is of
/// no interest; if so, all that comes back is infinite.
std::vector<double> to_come_pj(const Charges& charges, const Lattice& lattice, const Stages& stages,
                               const std::function<bool(double energy_pj)>& give_up);

/// Energy of any nest of the assignment is at least this: no tile is looked at, every word is delivered once.
double compulsory_pj(const Charges& charges);

/// Energy of delivering a tensor to memory `level` whose tile has `loops` inside, whatever the loops outside: at least
/// this.
double least_delivery_pj(const Charges& charges, int tensor, int level, const Extents& loops);

}  // namespace tilewright::optimal
