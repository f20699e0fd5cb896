// Maps one layer: picks the mapper, pads where that is asked for, searches, verifies, and says what the answer is
// worth.
//
//     const LayerAnswer answer = map_layer({einsum, architecture, constraints});
//     if (answer.mapping) std::cout << answer.evaluation->energy_pj << " pJ; " << answer.search->claim << '\n';
//     else                std::cout << answer.failures.front() << '\n';
//
// Free functions on values: any number of threads may call them at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "base/stop.hpp"
#include "mapping/mapping.hpp"
#include "mapspace/layer_problem.hpp"
#include "model/evaluation.hpp"
#include "run/options.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// How far a search is.
struct LayerProgress {
    std::int64_t sampled = 0;           ///< mappings proposed
    std::int64_t valid = 0;             ///< of those, the legal ones
    bool found = false;                 ///< there is a best one so far:
    double energy_pj = 0.0;             ///< its energy
    std::int64_t cycles = 0;            ///< and latency
    double objective = 0.0;             ///< and its value of the objective
    std::optional<double> space;        ///< as in SearchSummary
    std::optional<double> lower_bound;  ///< as in SearchSummary
};

/// How a search is watched and stopped.
struct SearchControl {
    const StopSource* stop = nullptr;                         ///< once requested, the best so far is the answer
    std::function<void(const LayerProgress&)> progress = {};  ///< calls come one at a time, but from any thread
};

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

/// The best mapping of a layer that the search finds; options.time_limit_seconds are for this layer. Equal problems,
/// options and seeds give equal answers on any number of threads, but for a time limit and a stop. Throws
/// InputError(usage) where problem_with(options) is not "", and OverflowError where a count does not fit in 64 bits.
LayerAnswer map_layer(const LayerProblem& problem, const MapOptions& options = {}, const SearchControl& control = {});

}  // namespace tilewright
