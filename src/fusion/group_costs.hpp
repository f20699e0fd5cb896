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

#include "fusion/context.hpp"
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

// What groups of einsums cost at least, by where they begin and end: what is made before a group, or comes from outside
// for several einsums, comes in from the DRAM once, and the last results go there.

/// Of every part of the cascade that may be one of a group; values by the weights.
class GroupFloors {
   public:
    GroupFloors(const CascadeView& view, const Machine& machine, Leaves& leaves, const std::vector<LeastCost>& least,
                const Weights& weights);

    /// Einsums first .. end - 1 of a group that begins with `first` and goes on; 0 where there are none.
    double part(int first, int end) const { return first == end ? 0.0 : parts_[first][end - first]; }
    /// An einsum of a group that begins with `first`, where the array costs it so much for one repeat.
    double of(int e, int first, const Floor& array) const;
    /// A whole group of einsums first .. last.
    double whole(int first, int last) const;
    /// The same where the array costs so much: by einsum from `start` on, of one repeat.
    double whole(int first, int last, int start, const std::vector<Floor>& array) const;

   private:
    bool comes_in(int tensor, int first) const;
    Traffic entering(int e, int first) const;
    double value_of(int e, const Floor& array, const Traffic& moved) const;
    Floor array_of(int e, int first, bool is_last) const;
    double last_of(int first, int last, const Floor& array) const;

    const CascadeView& view_;
    const Machine& machine_;
    Leaves& leaves_;
    const std::vector<LeastCost>& least_;
    Weights weights_;
    std::vector<std::vector<double>> parts_;      // by first, then by end less first
    std::vector<std::vector<Traffic>> entering_;  // by first, then by einsum less first
    std::vector<std::vector<Floor>> arrays_;      // likewise, of einsums that do not end their group
};

}  // namespace tilewright::fusion
