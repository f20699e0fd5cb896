// What a search found for a layer: the mapping, what it costs, and what it is worth. Plain values, which reports hold
// as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mapping/mapping.hpp"
#include "model/evaluation.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// How an answer was found, and what it is worth.
struct SearchSummary {
    std::int64_t evaluations = 0;  ///< mappings that were costed
    std::int64_t valid = 0;        ///< of those, the legal ones
    std::int64_t sampled = 0;      ///< mappings that were proposed, legal or not
    std::string stopped_by;        ///< in words: "the time is up"
    std::optional<double> space;   ///< mappings there are, where the search counted them
    /// No mapping of the space has a smaller value of the objective (energy in pJ, latency in cycles), where the search
    /// can tell.
    std::optional<double> lower_bound;
    bool proven = false;  ///< nothing is better: is_proven() of what the search did
    std::string claim;    ///< what is proven, or how far the best is from the bound, in words; may be ""
};

/// A mapping that no other found beats in both energy and latency.
struct FrontAnswer {
    Mapping mapping;
    double energy_pj = 0.0;
    std::int64_t cycles = 0;
    std::optional<Einsum> padded;  ///< what it maps, where that is the layer with padding
};

/// The failure of a layer that a stop came before.
inline constexpr const char* kNotSearched = "interrupted before it was searched";

/// Even and uneven mappings alike are a Mapping. It has passed check(), and its costs are the exact model's.
struct LayerAnswer {
    Einsum einsum;                         ///< what was mapped, padding included
    std::optional<Einsum> unpadded;        ///< the layer's own, where it was padded
    std::optional<Mapping> mapping;        ///< of a Pareto search: the one with the least energy-delay product
    std::optional<Evaluation> evaluation;  ///< of `mapping`
    std::vector<FrontAnswer> front;        ///< of a Pareto search, by energy
    std::vector<std::string> failures;     ///< why there is no mapping, every reason
    std::optional<SearchSummary> search;   ///< empty: nothing was searched
};

}  // namespace tilewright
