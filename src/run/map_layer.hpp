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

#include "base/stop.hpp"
#include "mapspace/layer_problem.hpp"
#include "model/layer_answer.hpp"
#include "run/options.hpp"

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

/// The best mapping of a layer that the search finds; options.time_limit_seconds are for this layer. Equal problems,
/// options and seeds give equal answers on any number of threads, but for a time limit and a stop. Throws
/// InputError(usage) where problem_with(options) is not "", and OverflowError where a count does not fit in 64 bits.
LayerAnswer map_layer(const LayerProblem& problem, const MapOptions& options = {}, const SearchControl& control = {});

}  // namespace tilewright
