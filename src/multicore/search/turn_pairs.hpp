// What the stages of turns cost at least from one on, by what the stage before owns: each alone, but with the words
// that it needs on other cores than own them.
//
// All stages have one team, so that no place but only shapes matter. Of a stage that reads what the one before made,
// and is its first reader, every word that is needed in the step in which it is made comes to each core that needs and
// does not own it.
//
// Where a tensor is kept for later stages (kept.hpp), how its first stage cuts it is a context until its last reader:
// for each pair of cuts the stages have the room that what is kept leaves, and the words that come again are counted.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "multicore/search/energy_rest.hpp"
#include "multicore/search/kept.hpp"

namespace tilewright::multicore {

class TurnPairs {
   public:
    struct One {
        double alone_pj = 0.0;
        double unknown_pj = 0.0;  ///< of that, for words of makers that are not known
        int shape = 0;
        const std::vector<std::int32_t>* room = nullptr;
        int peak = 0;   ///< of its room
        int first = 0;  ///< how it cuts a tensor that is kept from it on
        int last = 0;   ///< or until it
    };

    /// Options that may be of use below `cut`. Requires weights of energy alone; keeps references to all. Throws
    /// Stopped.
    TurnPairs(const Evaluators& evaluators, const Weights& weights, Way& way, const EnergyRest& rest, double cut);

    /// By option of the stage's team, the best first: those below the cut.
    const std::vector<One>& options(int stage) const { return options_[stage]; }
    /// Of a state with that option more, from the one before; 0 at first.
    int context(int stage, int before, int option) const;
    /// A stage adds no less, with that option and context of the stage before; with what no stage alone has.
    double added(int stage, int context, int before, int option) const;
    /// All stages behind it add no less.
    double after(int stage, int context, int option) const { return after_[stage][context][option]; }
    /// All stages together.
    double least() const { return least_; }

   private:
    struct Coming {
        double least = 0.0;  ///< whatever the stage before
        int option = 0;
    };

    void find_kept();
    void list(double cut);
    void list_options(int stage, double others, double cut);
    void sum(double cut);
    void sum_before(int stage);
    void sum_kept(Kept& kept, double cut);
    void sum_pair(Kept& kept, int first, int last, double kept_pj);
    std::vector<double> least_behind(int stage, std::vector<Coming> next) const;
    bool has_room(const One& one, const std::vector<std::int32_t>& kept) const;
    double plain(int stage, int before, int option) const;
    Kept* kept_over(int stage) const;
    double pair_pj(int stage, int own_shape, int need_shape) const;
    double find_pair(int stage, const Shape& own, const Shape& need) const;
    bool is_next(int stage, int tensor) const;

    const Evaluators& evaluators_;
    const Weights& weights_;
    Way& way_;
    const EnergyRest& rest_;
    std::vector<std::unique_ptr<Kept>> kept_;
    std::vector<std::vector<One>> options_;                // by stage
    std::vector<std::vector<std::vector<double>>> after_;  // by stage, context and option
    std::vector<double> beside_;   // by stage: beside what a stage has alone, but for what is kept until it
    std::vector<bool> has_pairs_;  // by stage: it reads what the one before made
    mutable std::map<std::pair<int, std::pair<int, int>>, double> pairs_;  // by stage and both shapes
    double least_ = kNever;
};

}  // namespace tilewright::multicore
