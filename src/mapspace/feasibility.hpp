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
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/layer_problem.hpp"
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

// Reason a layer has no mapping: a minimal set of conflicting demands of the machine and its constraints.
//
// Demands are dropped one by one while there is still no mapping (a deletion filter); without any one of the rest there
// is a mapping. Other minimal sets may exist.
//
//     const std::vector<std::string> demands = conflict_of({einsum, architecture, constraints});
//     // "psum_spad: keep Outputs", "psum_spad: capacity of 16 words (these demands need 32)", "psum_spad: temporal
//     K=32"
//
// Pure functions; thread-safe.

/// A minimal set of demands that exclude every mapping of perfect factors. Empty if there is a mapping, or if undecided
/// (mapspace/feasibility.hpp). Throws OverflowError.
std::vector<std::string> conflict_of(const LayerProblem& problem);

/// The same as text: a line with the conclusion, then a line for each demand. Empty if conflict_of() is.
std::vector<std::string> conflict_lines(const LayerProblem& problem);

}  // namespace tilewright
