// What is known of every group's cost, and the cheapest partitions of the cascade that follow from it.
//
// Groups are edges between the einsums at which they begin and end; a partition is a path. Every edge has a floor and
// the best group that was found; where these are equal, the edge is exact. The search looks closer at one inexact edge
// of the cheapest path by floors, and ends when that path has none: then no other partition costs less, whatever the
// edges off it turn out to be.
#pragma once

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "fusion/space/plan.hpp"

namespace tilewright::fusion {

/// Of the groups of einsums first .. last.
struct GroupCost {
    static constexpr double kUnknown = std::numeric_limits<double>::infinity();
    double floor = 0.0;                                  ///< none costs less
    std::pair<double, double> best{kUnknown, kUnknown};  ///< value and tie of `plan`
    GroupPlan plan;
    bool is_exact() const { return best.first <= floor; }
};

class GroupCosts {
   public:
    /// By einsum: the first einsum of the longest group that it ends; floors of all groups that it ends, by their
    /// first.
    GroupCosts(std::vector<int> first_allowed, const std::vector<std::vector<double>>& floors);

    int count() const { return static_cast<int>(first_allowed_.size()); }
    int first_allowed(int last) const { return first_allowed_[last]; }
    GroupCost& of(int first, int last);
    /// As the constructor takes them.
    std::vector<std::vector<double>> floors() const;
    /// Keeps a group that costs less than the best known one.
    void learn(GroupPlan plan, std::pair<double, double> score);
    /// Of all groups that end with `last`: those that do not lie on a path of at most `bound` were cut off.
    void looked_at(int last, double bound);

    /// Nothing costs less than this, einsums before `first` and from `first` on.
    double before(int first) const { return before_[first]; }
    double after(int first) const { return after_[first]; }
    double least() const { return before_.back(); }
    /// The least value of a path through an edge that ends with `last` and is not exact; infinity: there is none.
    double open_through(int last) const;
    /// Value of the best partition that is known; infinity: there is none.
    double known() const { return known_.back().score.first; }
    std::optional<FusionPlan> best_known(const Weights& weights) const;

   private:
    const GroupCost& of(int first, int last) const;
    void find_paths();
    bool extend_known(int first, int last);

    struct Step {  // the best known partition of all einsums before one
        std::pair<double, double> score{GroupCost::kUnknown, GroupCost::kUnknown};
        int first = -1;  ///< of its last group
    };

    std::vector<int> first_allowed_;
    std::vector<std::vector<GroupCost>> edges_;  // by last, then by first less the first allowed
    std::vector<double> before_;                 // by einsum, and of all
    std::vector<double> after_;
    std::vector<Step> known_;  // likewise
};

}  // namespace tilewright::fusion
