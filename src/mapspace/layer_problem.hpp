// LayerProblem: one layer on one machine.
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

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapping/validity.hpp"
#include "mapspace/constraints.hpp"
#include "model/evaluation.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright {

/// All inputs to a mapping's cost, owned.
struct LayerProblem {
    Einsum einsum;
    Architecture architecture;
    Constraints constraints;                   ///< none by default
    Words words = {};                          ///< default: the einsum's
    std::optional<sparse::Design> zeros = {};  ///< the machine's sparse optimisations, and the tensors' densities

    /// Words of the einsum's widths, dense.
    bool is_plain() const { return !zeros && !words.has_partial_sums() && !words.has_blocks(); }
};

/// The same on another einsum, of the same tensors.
inline LayerProblem with_einsum(LayerProblem problem, const Einsum& einsum) {
    problem.einsum = einsum;
    return problem;
}

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
