// Feasibility: whether any mapping exists, decided without a search for perfect factors.
//
// Tiles only grow with the factors inside them, so only splits of a dimension matter that no other undercuts in every
// tile and every fan-out. These are few; their combinations are tried until one fits.
//
//     if (feasibility(einsum, architecture, mapspace) == Feasibility::infeasible) ...  // no search needed
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
    /// Remainders, a minimum utilization, or too many trials.
    undecided,
};

/// Demands dropped, by memory (empty: none).
struct Relaxation {
    std::vector<bool> capacity;  ///< its tiles may have any size
    std::vector<bool> mesh;      ///< the fan-out below it has room for anything
};

/// The mapspace of that einsum and architecture has a point with fitting tiles. Throws OverflowError.
Feasibility feasibility(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace,
                        const Relaxation& relaxation = {});

}  // namespace tilewright
