// What the stages of a way cost at least in energy from one on: each alone, on cores behind those of the stages before,
// and what no stage alone has: words that several stages read from DRAM, and of a pipeline each word that goes on, read
// at its owner and sent over the shortest way.
#pragma once

#include <vector>

#include "base/stop.hpp"
#include "multicore/search/way.hpp"

namespace tilewright::multicore {

class EnergyRest {
   public:
    /// Requires weights of energy alone, and no leakage. Keeps references to all.
    EnergyRest(const Evaluators& evaluators, const Weights& weights, Way& way);

    /// Of stages from `stage` on, on cores from `core` on; all: 0, 0.
    double from(int stage, int core) const { return rest_[stage][core]; }
    /// What stage `stage` has beside what it costs alone, at least.
    double beside(int stage) const { return beside_[stage]; }
    /// Of that, for a tensor from outside that several stages read.
    double shared(int tensor) const;
    /// Looks at options until the least of all is that of options, or no less than `cut`.
    void raise(double cut, const StopSource* stop);

   private:
    double shared_from_dram(int tensor, const std::vector<int>& readers) const;
    double sent(int reader, int tensor) const;
    double words_of_reader(int reader, int tensor) const;
    void find_beside();
    double alone(int stage, const Team& team, bool& is_exact) const;
    void sum();
    bool open_next();

    const Evaluators& evaluators_;
    const Weights& weights_;
    Way& way_;
    int cores_;
    std::vector<double> beside_;             // by stage
    std::vector<std::vector<double>> rest_;  // by stage and core
    std::vector<std::vector<Team>> best_;    // of which that is; size 0: none
};

}  // namespace tilewright::multicore
