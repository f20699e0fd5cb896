// Searches a mapspace in which all factors divide, best first: families, their choices of kept tensors by a bound that
// looks at no tile and then by a dearer one that does, members of families that share words in other ways; what is left
// of those is followed. So the dearer a bound is, the fewer are looked at.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "mapper/optimal/answer/answer.hpp"
#include "mapper/optimal/geometry/assignments.hpp"
#include "mapper/optimal/geometry/families.hpp"
#include "mapper/optimal/imperfect/keeps.hpp"
#include "mapper/optimal/perfect/follow.hpp"

namespace tilewright::optimal {

class FamilySearch {
   public:
    /// Refers to both.
    FamilySearch(const Question& question, Answer& answer);

    /// Lists all families and bounds them. False when it was stopped: some are missing.
    bool list();
    /// Until nothing better is left, or it is stopped: what is not reached is left open. The same whatever the number
    /// of threads.
    void run();

   private:
    /// A family and its kept tensors, or all choices of them.
    struct Task {
        Assignment assignment;
        Bound bound;  ///< of all its mappings
        Score score;
        std::size_t family = 0;
        std::size_t looked_at = 0;  ///< of a family: so many of its choices, the ones that promise most
        bool is_choice = false;     ///< of kept tensors, too
        std::vector<int> points{};  ///< of what is left of the family: those that deal the factors out alike; none: all
    };
    /// The least bound comes first.
    struct LargerBound {
        bool operator()(const Task& a, const Task& b) const {
            return a.score < b.score ? false : b.score < a.score ? true : a.family > b.family;
        }
    };

    const lean::Setup& wireless() const { return without_wires_ ? *without_wires_ : question_.setup; }
    void relax_wires();
    std::vector<Task> best_tasks(std::size_t count);
    void work_on(std::span<const Task> batch);
    void search_narrowly();
    void spread_out(std::span<const Task> tasks);
    std::optional<std::vector<Task>> choices_of(const Task& family) const;
    std::optional<std::vector<Task>> members_of(const Task& choice) const;
    TilingPoint member(const Task& choice, std::size_t number, const TilingPoint& combined) const;
    bool is_wide(const Task& choice) const;
    Outcome solve(const Task& task, Incumbent incumbent) const;
    double remaining() const;

    const Question& question_;
    Answer& answer_;
    Keeps keeps_;
    Follower follower_;
    std::unique_ptr<lean::Setup> without_wires_;  ///< where some cost energy
    std::unique_ptr<KeepCosts> keep_costs_;       ///< as if wires were free
    std::optional<Families> families_;
    tbb::enumerable_thread_specific<lean::LinkCache> links_;
    std::vector<std::optional<Spread>> spreads_;  ///< of families, when it is known
    std::vector<Task> tasks_;                     ///< families, by bound
    std::size_t next_ = 0;                        ///< task whose choices come next
    std::vector<Task> choices_;                   ///< of families, a heap
    std::set<KeptTensors> searched_early_;        ///< those of choices that were followed ahead of their turn
    Incumbent incumbent_;                         ///< of the batch at work
    std::int64_t steps_ = 0;                      ///< of all batches so far
};

}  // namespace tilewright::optimal
