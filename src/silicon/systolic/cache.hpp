// Lines of each tensor leaving a cache: the loops around the tiles, from the inside, with one iteration's footprint.
//
// A loop of n steps multiplies the missing lines by the growth of the tensor's footprint for the cached share of the
// inner footprint, and by n for the rest. The layer is assumed to have run before: a fitting footprint is warm.
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

/// Share of a footprint still cached at the next sweep: 1 if it fits. Otherwise 0 under least-recently-used
/// replacement, and under random replacement the solution of h = exp(-(1 - h) * footprint / capacity).
double share_kept(double footprint_over_capacity, bool random_replacement);

}  // namespace tilewright::silicon
