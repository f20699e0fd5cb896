// Runs a search as numbered chunks in parallel, with results in order: independent of threads. Internal to mapper/.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <vector>

#include "mapper/mapper.hpp"

namespace tilewright {

/// Conditions for ending a chunk early.
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
    /// The outcome is decided: running chunks are not needed.
    void settle() { settled_.store(true, std::memory_order_relaxed); }

   private:
    const StopSource* stop_;
    Deadline deadline_;
    std::atomic<bool> settled_{false};
};

/// Some orders of one tiling: unit of work of the searches walking the mapspace.
struct Block {
    TilingPoint point;    ///< in the first of these orders
    std::int64_t orders;  ///< their number, with this one
};

/// One running chunk: proposes mappings, keeps the best.
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
    /// The chunk's objective; in a Pareto search every chunk has another target on the front.
    const Objective objective;
    Random random;
    std::vector<Block> blocks;  ///< if blocks are dealt

    /// Costs `point`; infinite for invalid ones. A valid one's score above both `limit` and the best may be infinite,
    /// too, if computing it takes long. A stop cuts long evaluations: the point then does not count, and the chunk is
    /// over.
    Score propose(const TilingPoint& point, double limit = std::numeric_limits<double>::infinity());
    bool last_was_valid() const { return !last_violation_; }
    /// So many further mappings are invalid for the last proposal's reason.
    void skip_invalid(std::int64_t count);
    /// A draw without completion.
    void dead_end() {
        ++statistics.sampled;
        ++statistics.dead_ends;
    }
    /// The chunk has to end: evaluations used up, or stopped.
    bool over();

    std::optional<TilingPoint> best;
    Score best_score;
    LeanCost best_cost;
    std::int64_t valid_at_best = 0;  ///< valid mappings of this chunk up to and including its best
    std::vector<Improvement> improvements;
    Front front;  ///< Pareto search only; ages are valid mappings of this chunk
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

/// The work of a search's chunks.
struct Work {
    std::function<void(Chunk&)> run;  ///< on any thread
    /// Called in sequence, for each chunk; false: no more work. Empty: endless chunks differing in random numbers.
    std::function<bool(std::vector<Block>&, const Interrupt&)> deal;
};

/// Runs chunks until the budget or the work is used up.
SearchResult search_in_chunks(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                              const Budget& budget, const ProgressCallback& progress, const Work& work);

inline SearchResult search_in_chunks(const Mapspace& mapspace, const LeanEvaluator& evaluator,
                                     const Objective& objective, const Budget& budget, const ProgressCallback& progress,
                                     const std::function<void(Chunk&)>& run) {
    return search_in_chunks(mapspace, evaluator, objective, budget, progress, Work{run, {}});
}

}  // namespace tilewright
