// Exact costs of a layer's mapping, for any words and sparse optimisations.
//
//     const LayerCosts costs = costs_of(problem, mapping);
//     if (costs.evaluation) costs.evaluation->energy_pj;
//
// Pure functions; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mapping/mapping.hpp"
#include "mapping/validity.hpp"
#include "mapspace/layer_problem.hpp"
#include "model/evaluation.hpp"

namespace tilewright {

/// As check() of validity.hpp, with room for partial sums, whole scales and metadata. For uncounted partial sums: with
/// room for final words.
std::vector<Violation> check(const LayerProblem& problem, const Mapping& mapping);

struct LayerCosts {
    std::vector<Violation> violations;     ///< of check()
    std::string uncounted;                 ///< reason this mapping is not counted, in words
    std::optional<Evaluation> evaluation;  ///< if there is neither
};

/// Requires a mapping without accounting options. Throws OverflowError.
LayerCosts costs_of(const LayerProblem& problem, const Mapping& mapping);

}  // namespace tilewright
