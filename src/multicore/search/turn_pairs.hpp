// What the stages of turns cost at least from one on, by what the stage before owns: each alone, but with the words
// that it needs on other cores than own them.
//
// All stages have one team, so that no place but only shapes matter. Of a stage that reads what the one before made,
// and is its first reader, every word that is needed in the step in which it is made comes to each core that needs and
// does not own it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "multicore/search/energy_rest.hpp"

namespace tilewright::multicore {

class TurnPairs {
   public:
    struct One {
        double alone_pj = 0.0;
        double unknown_pj = 0.0;  ///< of that, for words of makers that are not known
        int shape = 0;
    };

    /// Options that may be of use below `cut`. Requires weights of energy alone; keeps references to all. Throws
    /// Stopped.
    TurnPairs(const Evaluators& evaluators, const Weights& weights, Way& way, const EnergyRest& rest, double cut);

    /// By option of the stage's team, the best first: those below the cut.
    const std::vector<One>& options(int stage) const { return options_[stage]; }
    /// A stage adds no less, with that option of the stage before; with what no stage alone has.
    double added(int stage, int before, int option) const;
    /// All stages behind it add no less.
    double after(int stage, int option) const { return after_[stage][option]; }
    /// All stages together.
    double least() const { return least_; }

   private:
    void list(double cut);
    void sum();
    double pair_pj(int stage, int own_shape, int need_shape) const;
    double find_pair(int stage, const Shape& own, const Shape& need) const;
    bool is_next(int stage, int tensor) const;

    const Evaluators& evaluators_;
    const Weights& weights_;
    Way& way_;
    const EnergyRest& rest_;
    std::vector<std::vector<One>> options_;   // by stage
    std::vector<std::vector<double>> after_;  // by stage and option
    std::vector<bool> has_pairs_;             // by stage: it reads what the one before made
    mutable std::map<std::pair<int, std::pair<int, int>>, double> pairs_;  // by stage and both shapes
    double least_ = kNever;
};

}  // namespace tilewright::multicore
