// How many lines of each tensor leave a cache: the loops around the tiles, walked from the inside with the footprint of
// one iteration.
//
// A loop of n steps multiplies the lines that miss by the growth of the tensor's footprint as far as the footprint
// inside is still there, and by n as far as it is not. The layer is taken to have run before: what fits is warm.
//
// Pure functions; thread-safe.
#pragma once

#include "silicon/systolic/machine.hpp"
#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon {

struct LineCounts {
    double inputs = 0.0;
    double weights = 0.0;
    double outputs = 0.0;
};

/// In requests of `request_bytes`.
LineCounts cache_misses(const TiledLayer& layer, const SystolicMachine& machine, const Cache& cache);

/// Share of a footprint that is still in a cache when it is swept again: 1 where it fits. Otherwise 0 with least
/// recently used lines replaced, and with random ones the h that solves h = exp(-(1 - h) * footprint / capacity).
double share_kept(double footprint_over_capacity, bool random_replacement);

}  // namespace tilewright::silicon
