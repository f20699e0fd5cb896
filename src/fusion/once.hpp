// What no mapping of a cascade can be below, fused or not: every word that comes from outside or is wanted there moves
// once, and every operation that is needed runs once.
#pragma once

#include <vector>

#include "fusion/context.hpp"

namespace tilewright::fusion {

struct Moved {
    double in = 0.0;
    double out = 0.0;
};

struct Once {
    Cost cost;
    double compute_energy_pj = 0.0;  ///< operations alone
    double dram_energy_pj = 0.0;
    double buffer_energy_pj = 0.0;  ///< what comes in, and what the array takes at least
    std::vector<Moved> moved;       ///< by tensor, words from and to the DRAM, all repeats
};

/// Between repeats of a block nothing is counted that might stay.
Once every_word_once(const CascadeView& view, const Machine& machine, Leaves& leaves);

}  // namespace tilewright::fusion
