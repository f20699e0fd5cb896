// What is best of a layer or of a network, as users of the library get it, and whether two answers are those of one
// problem written in two ways.
#pragma once

#include <optional>
#include <string>

#include "certificate/fused/claim.hpp"
#include "model/objective.hpp"
#include "run/options.hpp"
#include "same_layer.hpp"
#include "same_network.hpp"

namespace tilewright::property {

/// What is said of the best mappings of one problem.
struct Best {
    std::optional<Score> score;  ///< nothing: there is no mapping
    double energy_pj = 0.0;      ///< of the mapping
    double cycles = 0.0;
    bool proven = false;          ///< nothing is better; without a mapping: none is legal
    std::optional<double> bound;  ///< nothing has less
};

/// How a layer's best mapping is asked for.
struct LayerQuestion {
    Objective objective;
    FactorRule factors = FactorRule::perfect;
    bool uneven = false;
};

/// By map_layer() or, with zeros or blocks, by what the program maps those with; of a given mapping what it costs.
Best best_of(const LayerCase& layer, const LayerQuestion& question);

/// The checker, with code of its own, finds that nothing of the layer is better than that; nothing: it does not judge
/// such a layer. Requires a score.
std::optional<bool> is_confirmed(const LayerCase& layer, const LayerQuestion& question, const Best& best);

/// "" where `again` may be the answer of what was rewritten so; else how they differ.
std::string difference(const Best& best, const Best& again, const Relation& relation, const Objective& objective);

/// What the fused search says of a network.
struct FusedBest {
    Best fused;
    Best unfused;
    std::string fault;   ///< nothing is searched, or the search itself failed: why
    std::string judged;  ///< what the checker says against it; "": it is confirmed, or not proven
    std::optional<certificate::fused_proof::Claim> claim;  ///< that it makes, where it is proven
};

FusedBest best_of(const NetworkText& network, const Objective& objective);

/// What the checker says against the second's mapping with what the first's certificate says that all cost at least.
/// Requires both claims, of equal problems.
std::string judged_by_other(const FusedBest& first, const FusedBest& second, const Relation& relation,
                            const Objective& objective);

}  // namespace tilewright::property
