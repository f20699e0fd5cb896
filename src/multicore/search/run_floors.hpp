// Runs before anything is looked into: which are alike, and what they cost at least.
//
// Two runs are alike when their einsums have the same forms and read one another alike: what is found of one holds of
// the other, so that blocks of a network that repeat are searched once.
#pragma once

#include <vector>

#include "multicore/search/shapes.hpp"

namespace tilewright::multicore {

/// Forms of einsums: two of the same form cost the same on every core, at every place.
std::vector<int> forms_of(const Problem& problem);

/// Forms of a run's einsums and who reads whom: runs are alike where it is equal.
std::vector<int> key_of_run(const Problem& problem, const std::vector<int>& forms, int first, int last);

/// Of runs, whatever their steps, teams and splits: leaves in sum, every word from outside and every one wanted there
/// once. Without the slots of stages.
class RunFloors {
   public:
    explicit RunFloors(const Evaluator& evaluator);

    Floor of(int first, int last) const;

   private:
    struct Read {
        int tensor = 0;
        double words = 0.0;       ///< of all iterations; 0: not known
        bool is_covered = false;  ///< all of its words are touched
    };
    struct Least {
        double energy_pj = 0.0;
        double busy = 0.0;
        double results = 0.0;  ///< words
        std::vector<Read> reads;
    };

    const Evaluator& evaluator_;
    const Problem& problem_;
    std::vector<Least> least_;  // by einsum
    double in_pj_ = kNever;     // of a word from DRAM to a core, written there
    double out_pj_ = kNever;
    double dram_rate_ = 0.0;
};

}  // namespace tilewright::multicore
