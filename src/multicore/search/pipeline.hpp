// The least energy of a run by dynamic programming over its stages.
//
// Energy adds up over tensors, and a tensor's depends on its maker and its readers alone. So a stage adds E(R with it)
// - E(R), where R are its makers and whoever else reads what it reads; room adds up likewise. Prefixes that end at the
// same core, where those stages that later ones depend on own and need the same words, in the same slots, have the same
// future:
// of a pipeline, whose teams are disjoint, the cheapest of them stands for all; of turns, those that no other beats in
// energy and in the room of every slot and core. In a chain it is the last stage that counts; of a residual its maker
// stays until its last reader.
//
// E of some stages is evaluated once for all places of their teams: but for links it is the same everywhere.
//
// States are looked at in the order of what they cost with the rest at its least (energy_rest.hpp); as many as are
// wanted of each stage, and where none was left out, the answer is the optimum.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "multicore/search/turn_pairs.hpp"

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
        int shape = 0;   ///< of the option
        int streams = 0;

        auto operator<=>(const Choice&) const = default;
    };
    struct State {
        int parent = -1;  ///< in the states of the stage before
        Choice choice;
        double energy_pj = 0.0;
        int after = 0;                        ///< first core that is free
        int context = 0;                      ///< of pairs of turns
        std::vector<std::int32_t> room = {};  ///< of turns: by slot from -1 on and core
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
    std::vector<Coming> first_by_pairs(int stage, double cut) const;
    int after(const Team& team) const { return way_.size > 0 ? 0 : team.from + team.size; }
    bool find_pairs(double cut);
    double rest_behind(int stage, const State& state) const;
    double value_of(int stage, const State& before, double alone_pj, const Team& team) const;
    /// What a stage adds to those around it, evaluated at some place.
    struct Added {
        bool fits = false;
        Wired with;
        Wired without;                   ///< those around it alone
        std::vector<std::int32_t> room;  ///< of turns, by slot from -1 on and core
        std::vector<int> from;           ///< by stage: first core of its team
        int start = 0;                   ///< slot of the first step
    };
    void take(int stage, const package::Stage& option, const Choice& choice);
    const Added& added(int stage);
    Evaluated evaluate(std::uint64_t stages, int last, Parts& parts) const;
    double energy_of(std::uint64_t stages, const Wired& wired, const std::vector<int>& from) const;
    double energy_added(int stage);
    bool add_room(int stage, std::vector<std::int32_t>& room);
    static bool is_beaten_by(const State& one, const State& other);
    static bool is_beaten(const std::vector<State>& same, const State& state);
    int start_of(std::uint64_t stages, int stage) const;
    void take_back(int stage, int state);
    Key key_of_future(int stage) const;
    Key key_of_added(int stage) const;
    void add_pattern(int stage, std::uint64_t later, Key& key) const;
    void place(int stage);

    const Evaluators& evaluators_;
    const Weights& weights_;
    Way& way_;
    EnergyRest& rest_;
    int cores_;
    std::vector<std::uint64_t> around_;       // by stage: R
    std::vector<std::uint64_t> needed_;       // by stage: stages up to it that later ones depend on
    std::vector<std::uint64_t> whole_;        // by stage: of these, whose room counts as well where teams are disjoint
    bool has_several_starts_ = false;         // slots count from the first one
    std::vector<std::vector<State>> states_;  // by stage
    package::Run run_;                        // of the state at hand
    std::vector<Choice> choices_;             // by stage, of the same
    std::vector<int> offsets_;                // by stage, of the same: slot of its first step
    std::vector<int> lags_;
    std::map<Key, Added> added_;
    std::unique_ptr<TurnPairs> pairs_;  // of turns
    double pairs_cut_ = 0.0;
};

}  // namespace tilewright::multicore
