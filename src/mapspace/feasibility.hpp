// Is there a mapping at all? Decided without a search where all factors divide.
//
// Tiles only grow with the factors inside them, so of the ways to split one dimension only those matter that no other
// way undercuts in every tile and every fan-out. These are few; their combinations are tried until one fits.
//
//     if (feasibility(einsum, architecture, mapspace) == Feasibility::infeasible) ...  // nothing needs to be searched
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/mapspace.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

enum class Feasibility {
    feasible,
    infeasible,
    /// Factors may leave remainders, a memory has to be filled to some share, or there is too much to try.
    undecided,
};

/// What a machine is not asked for, by memory (empty: all of it is asked for).
struct Relaxation {
    std::vector<bool> capacity;  ///< its tiles may have any size
    std::vector<bool> mesh;      ///< the fan-out below it has room for anything
};

/// Whether the mapspace of that einsum and architecture has a point whose tiles fit. Throws OverflowError.
Feasibility feasibility(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
                        const Relaxation& relaxation = {});

}  // namespace tilewright
