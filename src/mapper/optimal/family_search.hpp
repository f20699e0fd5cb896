// Best-first search of a mapspace with perfect factors: families, choices of kept tensors by a bound without tiles,
// then with tiles, members with different sharing; label setting of the rest.
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
    /// Keeps references to both.
    FamilySearch(const Question& question, Answer& answer);

    /// Lists and bounds all families. False if stopped: the list is incomplete.
    bool list();
    /// Until no bound is below the best mapping, or stopped: the rest is left open. Any number of threads, one answer.
    void run();

   private:
    /// A family and its kept tensors, or all choices of them.
    struct Task {
        Assignment assignment;
        Bound bound;  ///< of all its mappings
        Score score;
        std::size_t family = 0;
        std::size_t looked_at = 0;  ///< of a family: number of its most promising choices listed
        bool is_choice = false;     ///< with kept tensors fixed
        std::vector<int> points{};  ///< of the rest of a family: members with the same distribution of factors; empty:
                                    ///< all
    };
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
    std::unique_ptr<lean::Setup> without_wires_;  ///< set if wires cost energy
    std::unique_ptr<KeepCosts> keep_costs_;       ///< with free wires
    std::optional<Families> families_;
    tbb::enumerable_thread_specific<lean::LinkCache> links_;
    std::vector<std::optional<Spread>> spreads_;  ///< of families, if known
    std::vector<Task> tasks_;                     ///< families, by bound
    std::size_t next_ = 0;                        ///< the next task to list choices of
    std::vector<Task> choices_;                   ///< of families, a heap
    std::set<KeptTensors> searched_early_;        ///< choices followed ahead of their turn
    Incumbent incumbent_;                         ///< of the current batch
    std::int64_t steps_ = 0;                      ///< of all batches so far
};

}  // namespace tilewright::optimal
