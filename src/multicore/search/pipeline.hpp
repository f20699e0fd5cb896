// The least energy of a pipeline by dynamic programming over its stages.
//
// Energy adds up over tensors, and a tensor's depends on its maker and its readers alone; teams are disjoint, so that
// room is a matter of a stage and of those that it reads. So a stage adds E(R with it) - E(R), where R are its makers
// and whoever else reads what it reads; and prefixes that end at the same core, with the same options of those stages
// that later ones depend on, in the same slots, have the same future: the cheapest of them stands for all. In a chain
// that is the last stage; of a residual its maker stays until its last reader.
//
// States are looked at in the order of what they cost with the rest at its least (energy_rest.hpp); as many as are
// wanted of each stage, and where none was left out, the answer is the optimum.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "multicore/search/energy_rest.hpp"

namespace tilewright::multicore {

class Pipeline {
   public:
    using Found = std::function<void(const package::Run& run, const Cost& cost)>;

    /// Keeps references to all.
    Pipeline(const Evaluators& evaluators, const Weights& weights, Way& way, EnergyRest& rest);

    /// Tells `found` about whole runs below `cut`, which may fall while it does. Looks at `most` states of each stage.
    /// Returns the least energy of what was left out, no more than `cut`; adds what it looked at.
    double go(std::int64_t most, const std::function<double()>& cut, const Found& found, const StopSource* stop,
              std::int64_t& looked_at);

   private:
    struct Choice {
        Team team;
        int option = 0;  ///< of the team's, by energy alone

        auto operator<=>(const Choice&) const = default;
    };
    struct State {
        int parent = -1;  ///< in the states of the stage before
        Choice choice;
        double energy_pj = 0.0;
        int after = 0;  ///< first core that is free
    };
    /// A stage of a state that is to come: of a team with no known option a floor.
    struct Coming {
        double value = 0.0;
        int state = 0;
        Choice choice;
        bool is_exact = false;

        auto operator<=>(const Coming&) const = default;
    };
    using Key = std::vector<std::int64_t>;

    void find_stages();
    double of_stage(int stage, double cut, const std::function<double()>& now, std::int64_t most, const Found& found,
                    const StopSource* stop, std::int64_t& looked_at);
    std::vector<Coming> first_of(int stage, double cut) const;
    double value_of(int stage, const State& before, double alone_pj, const Team& team) const;
    double added(int stage, const package::Stage& option, const Choice& choice);
    double energy_of(std::uint64_t stages, std::uint64_t placed) const;
    void take_back(int stage, int state);
    Key key_of(std::uint64_t stages, int stage, const Choice& choice) const;
    void place(int stage);

    const Evaluators& evaluators_;
    const Weights& weights_;
    Way& way_;
    EnergyRest& rest_;
    int cores_;
    std::vector<std::uint64_t> around_;       // by stage: R
    std::vector<std::uint64_t> needed_;       // by stage: stages up to it that later ones depend on
    bool has_several_starts_ = false;         // slots count from the first one
    std::vector<std::vector<State>> states_;  // by stage
    package::Run run_;                        // of the state at hand
    std::vector<Choice> choices_;             // by stage, of the same
    std::vector<int> offsets_;                // by stage, of the same: slot of its first step
    std::vector<int> lags_;
    std::map<std::pair<int, Key>, double> known_;  // of a stage with R: what it adds
    std::map<std::pair<std::uint64_t, Key>, double> known_around_;
};

}  // namespace tilewright::multicore
