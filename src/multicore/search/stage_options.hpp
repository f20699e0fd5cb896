// Ways to run a stage on a team, the best ones first by what they cost alone.
//
// Floors of shapes decide what is evaluated, and where a team stands comes last: teams of the same kinds of cores have
// the same room, leaves and words, so that these are evaluated once for all, with leaves at their floors. What a buffer
// has no room for, or what moves too much, asks no mapper. Options of a team come out one by one, exactly evaluated,
// and no later one costs less alone.
#pragma once

#include <queue>
#include <vector>

#include "base/stop.hpp"
#include "multicore/search/shapes.hpp"

namespace tilewright::multicore {

/// The same problem twice: with leaves as they are, and at their floors.
struct Evaluators {
    const Evaluator& exact;
    const Evaluator& floors;
    const StopSource* stop = nullptr;
};

struct Option {
    package::Stage stage;
    Floor alone;
    double value = 0.0;  ///< weighted, with the leakage of its cycles
};

/// What the options of a stage are weighed by. Keeps references to all but the last.
struct StageView {
    const Evaluators& evaluators;
    const RunFrame& frame;
    const Weights& weights;
    int einsum = 0;

    double value_of(const Floor& floor) const;
    /// Throws Stopped.
    Evaluated evaluate(const Evaluator& evaluator, const package::Stage& stage) const;
};

/// Of all teams of the same kinds of cores, at no place: floors.
class PlacelessOptions {
   public:
    /// `team`: one of them.
    PlacelessOptions(const StageView& view, const Shapes& shapes, Team team);

    /// The i-th best; null: there are no more. Valid until the next call.
    const Option* at(std::size_t i);
    /// Of the i-th best and all behind it, as far as it is known without a look.
    double floor(std::size_t i) const;

   private:
    struct Waiting {
        double value = 0.0;
        bool is_open = false;
        std::size_t index = 0;  ///< of shapes, or of options where it is open

        bool operator<(const Waiting& other) const { return value > other.value; }
    };

    void open(const Waiting& next);

    StageView view_;
    const std::vector<FlooredShape>& shapes_;
    Team team_;
    DramPrices dram_;
    Box largest_;                    // that a step makes
    std::int64_t buffer_words_ = 0;  // of the last core of the team, which has the last parts
    std::int64_t window_words_ = 0;
    std::priority_queue<Waiting> waiting_;
    std::vector<Option> options_;       // in the order in which they were evaluated
    std::vector<std::size_t> ordered_;  // of these, by value
};

class StageOptions {
   public:
    /// Keeps a reference to `floors`.
    StageOptions(const StageView& view, PlacelessOptions& floors, Team team)
        : view_(view), floors_(floors), team_(team) {}

    /// The i-th best; null: there are no more. Valid until the next call.
    const Option* at(std::size_t i);
    /// One that there is, quickly; null: there is none. Valid until the next call.
    const Option* any();
    /// No option costs less alone, weighted; infinity: there is none.
    double least();
    /// The same, as far as it is known without a look; `is_exact`: it is an option's.
    double floor(bool& is_exact) const;

   private:
    struct Waiting {
        double value = 0.0;
        std::size_t index = 0;

        bool operator<(const Waiting& other) const { return value > other.value; }
    };

    void place(Option option);

    StageView view_;
    PlacelessOptions& floors_;
    Team team_;
    std::size_t next_ = 0;  // of floors
    std::priority_queue<Waiting> waiting_;
    std::vector<Option> options_;
    std::vector<std::size_t> ordered_;
};

}  // namespace tilewright::multicore
