// Answer: the best mappings that a search has found so far, and what it has left open.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "mapper/front.hpp"
#include "mapper/optimal/answer/question.hpp"
#include "mapper/optimal/geometry/nesting.hpp"

namespace tilewright::optimal {

/// What came of one assignment.
struct Outcome {
    std::vector<Nesting> nests;
    std::vector<LeanCost> costs;  ///< of each
    Score open;                   ///< of what was not followed to its end: no better than this
    bool finished = true;
    std::int64_t steps = 0;  ///< that it took
    bool unsettled = false;  ///< has to be followed further, when the best so far may be better
};

class Answer {
   public:
    /// Refers to both.
    Answer(const Question& question, const ProgressCallback& progress) : question_(question), progress_(progress) {}

    bool is_there() const { return result_.best.has_value(); }
    const Score& score() const { return result_.score; }
    const SearchStatistics& statistics() const { return result_.statistics; }
    Incumbent incumbent() const { return {result_.best ? result_.score : Score{}, front_.points()}; }
    /// The best so far takes longer than its loops have steps.
    bool is_throttled() const;

    /// What another search has found.
    void begin_with(const SearchResult& found);
    /// The same, without what it took.
    void offer(const SearchResult& found);
    void take(const Outcome& outcome);
    /// What a search after the first one has found, and what it took.
    void take(const SearchResult& found);
    /// Something that was not looked at may have this score.
    void leave_open(const Score& score) { open_ = std::min(open_, score); }

    /// Reports what there is; `remaining`: no score of what is still to be looked at is less.
    void tell(double remaining);
    /// `all_listed`: everything that was not followed was bounded.
    SearchResult finish(bool all_listed);

   private:
    void offer(const FoundMapping& mapping, const LeanCost& cost);
    bool nothing_better_is_open() const;

    const Question& question_;
    const ProgressCallback& progress_;
    SearchResult result_;
    Front front_;
    Score open_;
    bool improved_ = false;
};

}  // namespace tilewright::optimal
