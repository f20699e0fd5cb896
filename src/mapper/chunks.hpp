// Runs a search as numbered chunks, in parallel, and takes their results in order: what comes out does not depend on
// who did the work. Internal to mapper/.
#pragma once

#include <atomic>
#include <functional>

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
    bool interrupted() const { return stop_ != nullptr && stop_->requested(); }
    /// The outcome is decided: chunks still under way are no longer needed.
    void settle() { settled_.store(true, std::memory_order_relaxed); }

   private:
    const StopSource* stop_;
    Deadline deadline_;
    std::atomic<bool> settled_{false};
};

/// One chunk under way: proposes mappings, keeps the best.
class Chunk {
   public:
    Chunk(const Mapspace& the_mapspace, const LeanEvaluator& the_evaluator, const Objective& the_objective,
          std::uint64_t seed, std::int64_t most_evaluations, const Interrupt& interrupt)
        : mapspace(the_mapspace),
          evaluator(the_evaluator),
          objective(the_objective),
          random(seed),
          most_evaluations_(most_evaluations),
          interrupt_(interrupt) {}

    const Mapspace& mapspace;
    const LeanEvaluator& evaluator;
    const Objective& objective;
    Random random;

    /// Costs `point`; the score of an invalid one is infinite.
    Score propose(const PerfectPoint& point);
    /// A draw that could not be completed.
    void dead_end() {
        ++statistics.sampled;
        ++statistics.dead_ends;
    }
    /// True when the chunk has to end: its evaluations are used up, or somebody asked.
    bool over();

    std::optional<PerfectPoint> best;
    Score best_score;
    LeanCost best_cost;
    std::int64_t valid_at_best = 0;  ///< valid mappings of this chunk up to and including its best
    SearchStatistics statistics;

   private:
    LeanScratch scratch_;
    std::int64_t most_evaluations_;
    const Interrupt& interrupt_;
    std::int64_t polls_ = 0;
    bool over_ = false;
};

/// Runs `work` on chunk after chunk until the budget ends the search.
SearchResult search_in_chunks(const Mapspace& mapspace, const LeanEvaluator& evaluator, const Objective& objective,
                              const Budget& budget, const ProgressCallback& progress,
                              const std::function<void(Chunk&)>& work);

}  // namespace tilewright
