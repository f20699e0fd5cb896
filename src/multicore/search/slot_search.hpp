// The least weighted sum of energy and cycles of a way, stage by stage: prefixes in the order of what their slots take
// at least with the stages to come (slot_floors.hpp), as many of each stage as are wanted. Where none was left out, the
// answer is the optimum.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "multicore/search/slot_floors.hpp"

namespace tilewright::multicore {

class SlotSearch {
   public:
    using Found = std::function<void(const package::Run& run, const Cost& cost)>;

    /// Keeps references to all. Everything throws once `stop` is requested (throw_if_stopped).
    SlotSearch(const Evaluators& evaluators, const Weights& weights, const Way& way, const StopSource* stop);

    /// No plan of the way costs less, if that is below `cut`.
    double floor(double cut) const;

    /// Tells `found` about whole runs below `cut`, which may fall while it does. Looks at `most` prefixes of each
    /// stage. Returns the least value of what was left out, no more than `cut`; adds what it looked at.
    double go(std::int64_t most, const std::function<double()>& cut, const Found& found, std::int64_t& looked_at);

   private:
    struct Choice {
        Team team;
        int shape = 0;
        int streams = 0;

        auto operator<=>(const Choice&) const = default;
    };
    struct State {
        int parent = -1;  ///< in the states of the stage before
        Choice choice;
        double energy_pj = 0.0;
        Slots slots;
    };
    /// A prefix not yet evaluated; of equal values those of less energy first.
    struct Coming {
        double value = 0.0;
        double energy_pj = 0.0;
        int state = 0;
        Choice choice;

        auto operator<=>(const Coming&) const = default;
    };

    /// The first ones of all that are offered.
    struct Best {
        std::size_t most = 0;
        std::vector<Coming> coming = {};  ///< a heap, the last one on top
        double left_out = kNever;         ///< the least value of the others

        void offer(const Coming& one);
    };

    double value_of(double energy_pj, double cycles) const;
    double cycles_below(double energy_pj, double cut) const;
    const FlooredShape& shape_of(int stage, const Choice& choice) const {
        return way_.shapes[stage]->of_size(choice.team.size)[choice.shape];
    }
    int lag_of(int stage, const Choice& choice) const;
    Places places_of(int stage, int state) const;
    const std::vector<int>& fitting(int stage, int size, int streams);
    double least_with(const Places& places, const FlooredShape& one, const Slots& before, Slots more,
                      const std::vector<Rest>& rests) const;
    void offer(int stage, int state, double cut, Best& best);
    void offer_shapes(int state, int streams, const Places& places, const std::vector<Rest>& rests, double cut,
                      Best& best);
    double of_stage(int stage, std::int64_t most, const std::function<double()>& cut, const Found& found,
                    std::int64_t& looked_at);
    std::optional<State> evaluate(int stage, const Coming& next, double cut, const Found& found);
    void take(int stage, const Choice& choice);

    const Evaluators& evaluators_;
    const Weights& weights_;
    const Way& way_;
    const StopSource* stop_;
    SlotFloors floors_;
    int cores_;
    State start_;
    std::vector<double> energy_behind_;                              // by stage: of it and all behind it, at least
    std::vector<std::vector<State>> states_;                         // by stage
    package::Run run_;                                               // of the state at hand
    std::vector<std::vector<std::uint32_t>> streams_;                // by stage
    std::map<std::tuple<int, int, int>, std::vector<int>> fitting_;  // shapes by stage, size and streams
};

}  // namespace tilewright::multicore
