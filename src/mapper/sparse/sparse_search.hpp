// Searches for mappings on machines that do something about zeros (docs/sparsity.md, "Searching").
//
// Another mapper searches with prices of words (model/sparse/word_prices.hpp), which are what the exact account counts
// or less. What it finds is counted by the exact account; where that is what the mapper's own proof says, nothing is
// better. Else the search goes on from there, and small spaces are seen mapping by mapping.
//
//     const SearchResult found = search_sparse({problem, design}, OptimalMapper(), objective, budget);
#pragma once

#include "mapper/mapper.hpp"
#include "mapspace/layer_problem.hpp"
#include "sparse/design.hpp"

namespace tilewright {

/// Refers to both.
struct SparseProblem {
    const LayerProblem& layer;
    const sparse::Design& design;
};

/// What is done where the mapper's proof does not hold.
struct SparseEffort {
    double most_seen = 200'000.0;  ///< mappings that keep the same tensors are all looked at if no more than so many
    int tries = 3000;              ///< small changes of the best mapping
};

/// The best mapping found, with its cost by the exact account, of even ones with perfect factors. `mapper`: one that
/// takes any evaluator; of one that bounds nothing the answer has no bound either. Requires one objective and a
/// mapspace that is not empty. Throws OverflowError.
SearchResult search_sparse(const SparseProblem& problem, const Mapper& mapper, const Objective& objective,
                           const Budget& budget, const SparseEffort& effort = {});

}  // namespace tilewright
