// Goal: the score to be beaten, and what a lower bound has to reach so that nothing beats it. Internal to certificate/.
#pragma once

#include <vector>

#include "mapper/objective.hpp"

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

struct Goal {
    Objective objective;
    std::vector<Cost> best;  ///< the best mapping, or all of a Pareto front

    /// No mapping that costs at least `bound` beats the best: has a smaller objective, or, of a Pareto front, less
    /// energy or cycles than every point of it. Of latency, also less energy at the same latency beats.
    bool is_out_of_reach(const Cost& bound) const;
};

}  // namespace tilewright::certificate
