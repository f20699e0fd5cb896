// Goal: the value a lower bound has to reach.
#pragma once

#include <optional>
#include <vector>

#include "model/objective.hpp"

namespace tilewright::certificate {

/// Energy with leakage, cycles with the latency of links; of a mapping, or a lower bound of many.
struct Cost {
    double energy_pj = 0.0;
    double cycles = 0.0;

    bool operator==(const Cost&) const = default;
};

/// Energies are sums of doubles in any order: smaller relative differences count as equal. Cycles are whole.
inline constexpr double kTolerance = 1e-9;

/// `real` is below `bound`, refuting it.
bool falls_short(const Cost& real, const Cost& bound);

struct Goal {
    Objective objective;
    double value = 0.0;            ///< of the objective: nothing has less
    std::optional<double> tie_pj;  ///< of latency: nothing as fast has less energy
    std::vector<Cost> front;       ///< of a Pareto search: nothing is undominated by it
    Cost least = {};               ///< in addition: least energy and least cycles

    /// The goal for an optimal mapping of this cost.
    static Goal optimal(const Objective& objective, const Cost& best);

    /// No mapping with this bound falls short of the goal.
    bool is_out_of_reach(const Cost& bound) const;
};

}  // namespace tilewright::certificate
