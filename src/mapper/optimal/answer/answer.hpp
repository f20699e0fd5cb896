// Answer: the best mappings found so far, and the lower bound of the mappings left out.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "mapper/front.hpp"
#include "mapper/optimal/answer/question.hpp"
#include "mapper/optimal/geometry/nesting.hpp"

namespace tilewright::optimal {

struct Outcome {
    std::vector<Nesting> nests;
    std::vector<LeanCost> costs;
    Score open;  ///< lower bound of the mappings not evaluated
    bool finished = true;
    std::int64_t steps = 0;
    bool unsettled = false;  ///< to be searched further if this assignment may beat the best mapping
};

class Answer {
   public:
    /// Keeps references to both.
    Answer(const Question& question, const ProgressCallback& progress) : question_(question), progress_(progress) {}

    bool is_there() const { return result_.best.has_value(); }
    const Score& score() const { return result_.score; }
    const SearchStatistics& statistics() const { return result_.statistics; }
    Incumbent incumbent() const { return {result_.best ? result_.score : Score{}, front_.points()}; }
    /// The best mapping has more cycles than steps.
    bool is_throttled() const;

    void begin_with(const SearchResult& found);
    /// As begin_with(), without its evaluation count.
    void offer(const SearchResult& found);
    void take(const Outcome& outcome);
    /// A later search's result, with its evaluation count.
    void take(const SearchResult& found);
    void leave_open(const Score& score) { open_ = std::min(open_, score); }

    /// Reports progress. `remaining`: lower bound of the candidates left.
    void tell(double remaining);
    /// `all_listed`: every mapping left out is covered by a bound.
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
