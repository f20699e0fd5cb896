// What a mapping of a layer costs by the exact model, whatever its words are and whatever the machine does about zeros.
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

/// As check() of validity.hpp, with room for partial sums, whole scales and metadata. Of a mapping whose partial sums
/// are not counted: with room for final words.
std::vector<Violation> check(const LayerProblem& problem, const Mapping& mapping);

struct LayerCosts {
    std::vector<Violation> violations;     ///< as check() says them
    std::string uncounted;                 ///< why this mapping is not counted, in words
    std::optional<Evaluation> evaluation;  ///< where there is neither
};

/// Requires a mapping without accounting options. Throws OverflowError.
LayerCosts costs_of(const LayerProblem& problem, const Mapping& mapping);

}  // namespace tilewright
