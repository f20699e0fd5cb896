// Searches a mapspace with spatial remainders: bounds assignments while listing, follows them by ascending bound.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <span>
#include <vector>

#include "mapper/optimal/answer/answer.hpp"
#include "mapper/optimal/geometry/assignments.hpp"
#include "mapper/optimal/imperfect/completion_bound.hpp"
#include "mapper/optimal/imperfect/keeps.hpp"

namespace tilewright::optimal {

class RemainderSearch {
   public:
    /// Keeps references to both.
    RemainderSearch(const Question& question, Answer& answer);

    /// Lists the assignments with bounds below the answer so far. False if stopped: the list is incomplete.
    bool list();
    /// Until no bound is below the best mapping, or stopped: the rest is left open. Any number of threads, one answer.
    void run();

   private:
    struct Task {
        Assignment assignment;
        Bound bound;  ///< of all its mappings
        Score score;
    };
    enum class Depth {
        narrow,   ///< good nests only
        quick,    ///< defer slow ones
        thorough  ///< to the end
    };

    Bound least_of(const Assignment& assignment) const;
    bool is_far_from_bound() const;
    void in_batches(std::span<const std::size_t> tasks, Depth depth);
    Outcome solve(const Task& task, Incumbent incumbent, Depth depth) const;
    double remaining(double next) const;

    const Question& question_;
    Answer& answer_;
    Keeps keeps_;
    std::vector<Task> tasks_;             ///< by bound
    std::vector<std::size_t> unsettled_;  ///< tasks
    Incumbent incumbent_;                 ///< of the current batch
    std::int64_t steps_ = 0;              ///< of all batches so far
    bool is_throttled_ = false;           ///< the best so far
    mutable tbb::enumerable_thread_specific<ImperfectCompletionBound> completion_bounds_;
};

}  // namespace tilewright::optimal
