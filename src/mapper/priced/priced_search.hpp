// The best mapping of a layer whose words have several widths or whose zeros save something.
//
// What such words cost depends on more than their number, so the proven search goes through the mapspace with prices
// that are never too high; what it finds is counted exactly, and what it proves is a lower bound. Where the two differ,
// small changes of the best mapping are tried, and the mappings that may still be better are counted if they are few.
//
//     const SearchResult found = search_priced(problem, FactorRule::perfect, OptimalMapper(), objective, budget);
#pragma once

#include "mapper/mapper.hpp"
#include "mapspace/layer_problem.hpp"

namespace tilewright {

/// What is done where the mapper's proof does not hold.
struct PricedEffort {
    double most_seen = 200'000.0;  ///< mappings that keep the same tensors are all looked at if no more than so many
    int tries = 3000;              ///< small changes of the best mapping
};

/// The best mapping found, with its exact cost. `mapper`: one that takes any evaluator; of one that bounds nothing the
/// answer has no bound either. Of a Pareto search the front, each with its exact costs: proven where all that the
/// prices allow is beaten by it, or was counted. Requires a mapspace that is not empty. Throws OverflowError.
SearchResult search_priced(const LayerProblem& problem, FactorRule factors, const Mapper& mapper,
                           const Objective& objective, const Budget& budget, const ProgressCallback& progress = {},
                           const PricedEffort& effort = {});

}  // namespace tilewright
