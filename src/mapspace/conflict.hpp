// Why a layer has no mapping: demands of the machine and of its constraints that exclude each other, as few as
// possible.
//
// Demands are dropped one after the other as long as there is still no mapping (a deletion filter); those that remain
// are needed, each of them: without any one there is a mapping. Other least sets may exist.
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

/// A least set of demands that leave the layer without any mapping of perfect factors. Empty where there is a mapping,
/// or where that is not decided (mapspace/feasibility.hpp). Throws OverflowError.
std::vector<std::string> conflict_of(const LayerProblem& problem);

/// The same for people: a line that says what follows, then a line for each demand. Empty where conflict_of() is.
std::vector<std::string> conflict_lines(const LayerProblem& problem);

}  // namespace tilewright
