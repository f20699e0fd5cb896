// Ways to run a stage on a team, the best ones first by what they cost alone.
//
// Floors of shapes decide what is evaluated: options come out one by one, exactly evaluated, and no later one costs
// less alone.
#pragma once

#include <queue>
#include <vector>

#include "multicore/search/shapes.hpp"

namespace tilewright::multicore {

struct Option {
    package::Stage stage;
    Floor alone;
    double value = 0.0;  ///< weighted, with the leakage of its cycles
};

class StageOptions {
   public:
    /// Keeps references to all but the last two.
    StageOptions(const Evaluator& evaluator, const RunFrame& frame, const Shapes& shapes, const Weights& weights,
                 int einsum, Team team);

    /// The i-th best; null: there are no more. Valid until the next call.
    const Option* at(std::size_t i);
    /// No option costs less alone, weighted; infinity: there is none.
    double least();

   private:
    struct Waiting {
        double value = 0.0;
        bool exact = false;
        std::size_t index = 0;  ///< of shapes of the team's size, or of options

        bool operator<(const Waiting& other) const { return value > other.value; }
    };

    void open(const Waiting& next);
    double value_of(const Floor& floor) const;

    const Evaluator& evaluator_;
    const RunFrame& frame_;
    const Shapes& shapes_;
    const Weights& weights_;
    int einsum_;
    Team team_;
    std::priority_queue<Waiting> waiting_;
    std::vector<Option> options_;       // evaluated, in the order in which they were
    std::vector<std::size_t> ordered_;  // of these, by value
};

}  // namespace tilewright::multicore
