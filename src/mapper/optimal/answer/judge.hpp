// Judge: whether something that costs at least so much may still be better than the best mapping known.
#pragma once

#include <vector>

#include "mapper/mapper.hpp"

namespace tilewright::optimal {

/// Sums in another order differ in the last bits: what comes so close to the incumbent is taken for equal.
inline constexpr double kClose = 1.0 - 1e-12;

/// The best so far. What a batch of assignments is measured against: the same for all of them, whoever is first.
struct Incumbent {
    Score score;
    std::vector<FrontPoint> front;  ///< of a Pareto search
};

/// What a mapping that is still open costs at least.
struct Bound {
    double energy_pj = 0.0;  ///< with leakage
    double cycles = 0.0;     ///< with the latency of links
};

class Judge {
   public:
    explicit Judge(const Objective& objective) : objective_(objective) {}

    Score score(const Bound& bound) const { return objective_.score(bound.energy_pj, bound.cycles); }

    /// Nothing that costs at least `bound` is better than the incumbent.
    bool pruned(const Bound& bound, const Incumbent& incumbent) const;

    /// Energy from which everything that takes at least so many cycles is pruned, with room for rounding; infinite
    /// where it is not known.
    double limit_pj(double cycles, const Incumbent& incumbent) const;

    /// What costs so much may be so much better than the best so far that labels would not be pruned.
    bool is_far(const Bound& bound, const Incumbent& incumbent) const;

   private:
    Objective objective_;
};

}  // namespace tilewright::optimal
