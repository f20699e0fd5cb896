// Runs a search as numbered chunks, in parallel, and takes their results in order: what comes out does not depend on
// who did the work. Internal to mapper/.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <vector>

#include "mapper/front.hpp"
#include "mapper/mapper.hpp"

namespace tilewright {

/// What a chunk may look at to end early.
class Interrupt {
   public:
    Interrupt(const StopSource* stop, Deadline deadline) : stop_(stop), deadline_(deadline) {}

    bool requested() const {
        return settled_.load(std::memory_order_relaxed) || (stop_ != nullptr && stop_->requested()) ||
               passed(deadline_);
    }
    bool timed_out() const { return passed(deadline_); }
    const StopSource* stop() const { return stop_; }
    bool interrupted() const { return stop_ != nullptr && stop_->requested(); }
    /// The outcome is decided: chunks still under way are no longer needed.
    void settle() { settled_.store(true, std::memory_order_relaxed); }

   private:
    const StopSource* stop_;
    Deadline deadline_;
    std::atomic<bool> settled_{false};
};

/// Some of the orders of one tiling: a piece of work for the searches that walk the mapspace.
struct Block {
    TilingPoint point;    ///< in the first of these orders
    std::int64_t orders;  ///< how many there are, this one counted
};

/// One chunk under way: proposes mappings, keeps the best.
class Chunk {
   public:
    struct Terms {
        Objective objective;
        std::uint64_t seed = 1;
        std::uint64_t number = 0;
        std::int64_t most_evaluations = 0;
        std::chrono::steady_clock::time_point begin;  ///< of the search
    };

    Chunk(const Mapspace& the_mapspace, const LeanEvaluator& the_evaluator, const Terms& terms,
          const Interrupt& interrupt);

    const Mapspace& mapspace;
    const LeanEvaluator& evaluator;
    const std::uint64_t number;
    /// What a chunk goes for; where the whole search wants a front, every chunk goes for another place on it.
    const Objective objective;
    Random random;
    std::vector<Block> blocks;  ///< what was dealt to it, where anything was

    /// Costs `point`; the score of an invalid one is infinite. So may be that of a valid one whose value is above both
    /// `limit` and the best: it is not worked out where that takes long. A stop cuts an evaluation that takes long:
    /// then the point counts as never proposed, and the chunk is over.
    Score propose(const TilingPoint& point, double limit = std::numeric_limits<double>::infinity());
    bool last_was_valid() const { return !last_violation_; }
    /// There are so many more mappings that are invalid for the same reason as the one last proposed.
    void skip_invalid(std::int64_t count);
    /// A draw that could not be completed.
    void dead_end() {
        ++statistics.sampled;
        ++statistics.dead_ends;
    }
    /// True when the chunk has to end: its evaluations are used up, or a stop was requested.
    bool over();

    std::optional<TilingPoint> best;
    Score best_score;
    LeanCost best_cost;
    std::int64_t valid_at_best = 0;  ///< valid mappings of this chunk up to and including its best
    std::vector<Improvement> improvements;
    Front front;  ///< of a search for one; ages are valid mappings of this chunk
    SearchStatistics statistics;

   private:
    bool pruned(const TilingPoint& point, double limit);
    Score costed(const TilingPoint& point, double limit);
    void record(const TilingPoint& point, const LeanCost& cost, const Score& score);

    const bool wants_front_;
    std::chrono::steady_clock::time_point begin_;
    LeanScratch scratch_;
    std::optional<ViolationKind> last_violation_;
    std::int64_t most_evaluations_;
    const Interrupt& interrupt_;
    bool over_ = false;
};

/// What the chunks of a search do.
struct Work {
    std::function<void(Chunk&)> run;  ///< on any thread
    /// Called for one chunk after the other, never twice at a time; false: there is no more to do. Empty: chunks only
    /// differ in their random numbers, and there is no end of them.
    std::function<bool(std::vector<Block>&, const Interrupt&)> deal;
};

/// Runs chunk after chunk until the budget or the work ends the search.
SearchResult search_in_chunks(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                              const Budget& budget, const ProgressCallback& progress, const Work& work);

inline SearchResult search_in_chunks(const Mapspace& mapspace, const LeanEvaluator& evaluator,
                                     const Objective& objective, const Budget& budget, const ProgressCallback& progress,
                                     const std::function<void(Chunk&)>& run) {
    return search_in_chunks(mapspace, evaluator, objective, budget, progress, Work{run, {}});
}

}  // namespace tilewright
