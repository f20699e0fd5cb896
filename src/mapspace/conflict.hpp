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
#pragma once

#include <string>
#include <vector>

#include "mapspace/layer_problem.hpp"

namespace tilewright {

/// A minimal set of demands that exclude every mapping of perfect factors. Empty if there is a mapping, or if undecided
/// (mapspace/feasibility.hpp). Throws OverflowError.
std::vector<std::string> conflict_of(const LayerProblem& problem);

/// The same as text: a line with the conclusion, then a line for each demand. Empty if conflict_of() is.
std::vector<std::string> conflict_lines(const LayerProblem& problem);

}  // namespace tilewright
