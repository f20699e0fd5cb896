// LayerProblem: what is asked for one layer on one machine.
#pragma once

#include <optional>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright {

/// One layer on one machine: all that decides what a mapping costs. Owns all of it.
struct LayerProblem {
    Einsum einsum;
    Architecture architecture;
    Constraints constraints;                   ///< none by default
    Words words = {};                          ///< as the einsum says by default
    std::optional<sparse::Design> zeros = {};  ///< what the machine does about them, and the tensors' densities

    /// Words are as wide as the einsum says, and nothing is done about zeros.
    bool is_plain() const { return !zeros && !words.has_partial_sums() && !words.has_blocks(); }
};

/// The same on another einsum, of the same tensors.
inline LayerProblem with_einsum(LayerProblem problem, const Einsum& einsum) {
    problem.einsum = einsum;
    return problem;
}

}  // namespace tilewright
