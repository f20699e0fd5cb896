// Chances that what some steps touch of a tensor is not all zero.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "model/sparse/table.hpp"
#include "sparse/density.hpp"
#include "sparse/extents.hpp"

namespace tilewright::sparse {

/// Of the tensors of one layer, which are independent of each other. Refers to the nest and the densities.
class Chances {
   public:
    /// Requires a nest of factors that divide and problem_with() of every density to be "".
    Chances(const Nest& nest, const std::vector<Density>& densities);

    /// By the place of all other loops that matter. Only loops that move the tensor count in `set`. Exact.
    const Table& not_empty(int tensor, LoopSet set);

    /// Most elements that are not zero among what the steps touch, wherever they are.
    std::int64_t most(int tensor, LoopSet set);

   private:
    Table computed(int tensor, LoopSet set) const;

    const Nest& nest_;
    const std::vector<Density>& densities_;
    std::map<std::pair<int, LoopSet>, Table> known_;
};

}  // namespace tilewright::sparse
