// Searches a mapspace whose spatial factors may leave remainders: bounds all assignments as they are listed, and
// follows those that may be better than what is known, in the order of their bounds.
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
    /// Refers to both.
    RemainderSearch(const Question& question, Answer& answer);

    /// Lists the assignments that may be better than the answer so far. False when it was stopped: some are missing.
    bool list();
    /// Until nothing better is left, or it is stopped: what is not reached is left open. The same whatever the number
    /// of threads.
    void run();

   private:
    struct Task {
        Assignment assignment;
        Bound bound;  ///< of all its mappings
        Score score;
    };
    enum class Depth {
        narrow,   ///< look for good nests only
        quick,    ///< leave what takes long
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
    Incumbent incumbent_;                 ///< of the batch at work
    std::int64_t steps_ = 0;              ///< of all batches so far
    bool is_throttled_ = false;           ///< the best so far
    mutable tbb::enumerable_thread_specific<ImperfectCompletionBound> completion_bounds_;
};

}  // namespace tilewright::optimal
