// The best plan of a cascade on a package, with a bound for all plans of the space (space.hpp).
//
// Energy or cycles by rounds over runs (weighted_search.hpp). Energy times delay goes by weighted sums, each proven, as
// the hull of energies and cycles has them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.hpp"
#include "model/objective.hpp"
#include "multicore/evaluate.hpp"

namespace tilewright::multicore {

struct FoundPlan {
    package::Plan plan;
    Cost cost;
    double value = 0.0;
};

struct Answer {
    std::optional<FoundPlan> best;  ///< nothing: none was found
    double bound = 0.0;             ///< of the objective: no plan of the space has less
    /// Of energy or cycles, by einsum, and 0 for the end: no runs of it and all after it have less together.
    std::vector<double> potentials = {};
    bool proven = false;
    bool stopped = false;
    std::int64_t prefixes = 0;  ///< of stages that were evaluated
    int rounds = 0;
};

using TellProgress = std::function<void(const Cost* best, double value, double bound)>;

/// Equal to what sums of energies are exact to.
inline bool is_proven_by(double bound, double value) { return bound >= value * (1.0 - 1e-9); }

/// Why nothing is searched for it, in words; "": energy, latency and their product.
std::string problem_with_objective(const Objective& objective);

/// Requires problem_with_objective() to be "". Keeps the best where `stop` is requested. `longest_run`: einsums of a
/// run.
Answer optimize(const Evaluator& evaluator, const Objective& objective, const StopSource* stop = nullptr,
                const TellProgress& tell = {}, int longest_run = 64);

}  // namespace tilewright::multicore
