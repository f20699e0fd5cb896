// Ways to run a stage on a team, the best ones first by what they cost alone.
//
// Floors of shapes decide what is evaluated, and where a team stands comes last: teams of the same kinds of cores have
// the same room, leaves and words, so that these are evaluated once for all, with leaves at their floors. What a buffer
// has no room for, or what moves too much, asks no mapper. Energy of a place is that of its ways; for cycles each place
// is evaluated. Options of a team come out one by one, and no later one costs less alone.
#pragma once

#include <optional>
#include <queue>
#include <vector>

#include "base/stop.hpp"
#include "multicore/search/floored_leaves.hpp"
#include "multicore/search/shapes.hpp"

namespace tilewright::multicore {

/// The same problem with leaves as the search takes them to be, at their floors, and as they are.
struct Evaluators {
    const Evaluator& exact;
    const Evaluator& floors;
    const StopSource* stop = nullptr;
    const Evaluator* mapped = nullptr;  ///< null: `exact` is
    TrustedLeaves* trust = nullptr;     ///< the leaves of `exact`, where they are not
};

struct Option {
    package::Stage stage;
    Floor alone;
    double value = 0.0;                               ///< weighted, with the leakage of its cycles
    int shape = 0;                                    ///< of those of the size
    int streams = 0;                                  ///< of streams_of()
    double unknown_pj = 0.0;                          ///< of turns: for words of makers that are not known
    const std::vector<std::int32_t>* room = nullptr;  ///< words by slot from -1 on and core, at some place
};

/// What the options of a stage are weighed by. Keeps references to all but the last.
struct StageView {
    const Evaluators& evaluators;
    const RunFrame& frame;
    const Weights& weights;
    int einsum = 0;

    double value_of(const Floor& floor) const;
    /// Throws Stopped.
    Evaluated evaluate(const Evaluator& evaluator, const package::Stage& stage, Parts* parts) const;
};

/// A core of the largest step has room for what it makes, and keeps and makes it from; false: none has.
bool has_room(const StageView& view, const package::Stage& stage);

/// Energy by words that travel, for teams that are intervals of the order.
struct Wired {
    double other_pj = 0.0;  ///< all but links
    Parts parts = {};

    double energy_pj(const package::Network& network, const std::vector<int>& from, const std::vector<Team>& to) const;
};

/// Of all teams of the same kinds of cores, at no place.
class PlacelessOptions {
   public:
    struct One {
        Option option;  ///< with floors
        Wired wired;
        int from = 0;           ///< first core of the team of the flows
        bool is_exact = false;  ///< `wired`
    };

    PlacelessOptions(const StageView& view, const Shapes& shapes, int size);

    const std::vector<FlooredShape>& shapes() const { return shapes_; }
    /// All streams of a shape that have room.
    std::vector<One>& of(std::size_t shape, const Team& team);

   private:
    StageView view_;
    const std::vector<FlooredShape>& shapes_;
    DramPrices dram_;
    std::vector<std::uint32_t> streams_;
    std::vector<std::optional<std::vector<One>>> opened_;  // by shape
};

class StageOptions {
   public:
    /// Keeps a reference to `floors`.
    StageOptions(const StageView& view, PlacelessOptions& floors, Team team);

    /// The i-th best; null: there are no more. Valid until the next call.
    const Option* at(std::size_t i);
    /// One that there is, quickly; null: there is none. Valid until the next call.
    const Option* any();
    /// No option costs less alone, weighted; infinity: there is none.
    double least();
    /// The same, as far as it is known without a look; `is_exact`: it is an option's.
    double floor(bool& is_exact) const;

   private:
    enum class Stand : std::uint8_t { exact, option, shape };
    struct Waiting {
        double value = 0.0;
        Stand stand = Stand::shape;
        std::size_t index = 0;  ///< of exact ones in options_, else of shapes
        std::size_t place = 0;  ///< of an option in its shape

        bool operator<(const Waiting& other) const {
            return value != other.value ? value > other.value : stand > other.stand;
        }
    };

    void open(const Waiting& next);
    void place(const Waiting& next);
    bool has_energy_alone() const { return view_.weights.cycles == 0.0 && view_.frame.leak_pj == 0.0; }

    StageView view_;
    PlacelessOptions& floors_;
    Team team_;
    std::priority_queue<Waiting> waiting_;
    std::vector<Option> options_;
    std::vector<std::size_t> ordered_;
};

}  // namespace tilewright::multicore
