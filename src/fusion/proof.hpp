// Proofs of a least weighted sum without a good mapping to begin with: the gap between the best and what nothing can
// cost less than is guessed, and doubled until a mapping lies under the guess. What is found there is the best of all,
// for only what costs more than the guess was cut off.
#pragma once

#include <optional>
#include <vector>

#include "fusion/search.hpp"

namespace tilewright::fusion {

struct Best {
    std::optional<FusionPlan> plan;  ///< nothing: none was found
    double bound = 0.0;              ///< nothing has less
    bool stopped = false;
    int proofs = 0;
    int rounds = 0;
};

/// Plans of the space that are known already: each is an upper bound, whatever the weights.
using Known = std::vector<FusionPlan>;

/// `bound` is of the weighted sum.
Best best_weighted(Search& search, const Weights& weights, const Known& known);

}  // namespace tilewright::fusion
