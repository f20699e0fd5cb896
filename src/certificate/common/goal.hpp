// Goal: what a lower bound has to reach so that nothing beats an answer.
#pragma once

#include <optional>
#include <vector>

#include "model/objective.hpp"

namespace tilewright::certificate {

/// Energy with leakage, cycles with the latency of links: of a mapping, or at least so much of many.
struct Cost {
    double energy_pj = 0.0;
    double cycles = 0.0;

    bool operator==(const Cost&) const = default;
};

/// Energies are sums of doubles, and their order differs between two programs: a difference below this share of them
/// does not beat anything. Cycles are whole.
inline constexpr double kTolerance = 1e-9;

/// Something that costs `real` costs less than `bound`, which is no bound of it then.
bool falls_short(const Cost& real, const Cost& bound);

struct Goal {
    Objective objective;
    double value = 0.0;            ///< of the objective: nothing has less
    std::optional<double> tie_pj;  ///< of latency: nothing as fast has less energy
    std::vector<Cost> front;       ///< of a Pareto search: nothing has less energy and fewer cycles than all of it
    Cost least = {};               ///< beside that: nothing has less energy, and nothing fewer cycles

    /// The goal that a mapping of this cost is the best one.
    static Goal optimal(const Objective& objective, const Cost& best);

    /// No mapping that costs at least `bound` falls short of the goal.
    bool is_out_of_reach(const Cost& bound) const;
};

}  // namespace tilewright::certificate
