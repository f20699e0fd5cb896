// Judge: compares a lower bound with the best mapping.
#pragma once

#include <vector>

#include "mapper/mapper.hpp"

namespace tilewright::optimal {

/// Sums in another order differ in the last bits: energies this close count as equal.
inline constexpr double kClose = 1.0 - 1e-12;

/// The best mapping of earlier batches: the same for all assignments of a batch, for any number of threads.
struct Incumbent {
    Score score;
    std::vector<FrontPoint> front;  ///< Pareto search only
};

/// Lower bound of a set of mappings.
struct Bound {
    double energy_pj = 0.0;  ///< with leakage
    double cycles = 0.0;     ///< with the latency of links
};

class Judge {
   public:
    explicit Judge(const Objective& objective) : objective_(objective) {}

    Score score(const Bound& bound) const { return objective_.score(bound.energy_pj, bound.cycles); }

    /// No mapping with this bound is better than the incumbent.
    bool pruned(const Bound& bound, const Incumbent& incumbent) const;

    /// Energy from which every mapping of at least so many cycles is pruned, with room for rounding; or infinite.
    double limit_pj(double cycles, const Incumbent& incumbent) const;

    /// The incumbent is so far above the bound that it would prune few labels.
    bool is_far(const Bound& bound, const Incumbent& incumbent) const;

   private:
    Objective objective_;
};

}  // namespace tilewright::optimal
