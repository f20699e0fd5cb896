// LayerProblem: one layer on one machine.
#pragma once

#include <optional>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
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

}  // namespace tilewright
