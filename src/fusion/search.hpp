// The best fused mapping of a cascade for weighted energy and cycles: the partition into groups is a shortest path over
// all groups (group_costs.hpp), whose costs come from labels.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "fusion/context.hpp"
#include "fusion/cost/cost.hpp"
#include "fusion/cost/lines.hpp"
#include "fusion/group_costs.hpp"
#include "fusion/group_loops.hpp"
#include "fusion/member.hpp"

namespace tilewright::fusion {

struct SearchLimits {
    int longest_group = 1 << 20;              ///< einsums; 1: nothing is fused
    std::vector<std::int64_t> sum_bits = {};  ///< as Context has them
};

struct Best {
    std::optional<FusionPlan> plan;  ///< nothing: none was found
    double bound = 0.0;              ///< of what is minimised: nothing has less
    /// By einsum, and 0 for the end: what it and all after it cost at least. No group costs less than its first
    /// einsum's number less that of the one after it.
    std::vector<double> duals = {};
    std::vector<ProvenSum> sums = {};  ///< of a product: what proves the bound
    bool stopped = false;
    int proofs = 0;
    int rounds = 0;
};

/// Plans of the space that are known already: their groups are upper bounds, whatever the weights.
using Known = std::vector<FusionPlan>;

class Search {
   public:
    Search(const CascadeView& view, const Machine& machine, Leaves& leaves, SearchLimits limits,
           const StopSource* stop);

    /// Of the weighted sum. Where it is stopped: the best partition of the groups that were found by then.
    Best best(const Weights& weights, const Known& known);

    /// No fused mapping costs less energy, or fewer cycles.
    Cost least() const;
    /// These two, with the duals of what is fused in whatever way.
    Lines floors() const;

   private:
    std::vector<double> least_after(const Weights& weights) const;
    GroupCosts costs_of(const GroupFloors& floors);
    std::vector<GroupEnd> ends(int last) const;
    void raise_by_loops(int last, const GroupFloors& floors, std::vector<double>& by_first);
    std::vector<double> duals_of(const GroupCosts& costs, double bound) const;
    void raise_by_proven(int last, std::vector<double>& by_first) const;
    void find_before(const GroupEnd& end, const GroupCosts& costs, const GroupFloors& floors);
    void deepen(GroupCosts& costs, const GroupFloors& floors, Best& best);
    static bool is_open(const GroupCosts& costs);
    void look_at(int last, double bound, GroupCosts& costs, const GroupFloors& floors, Members& members);
    void look_at(const GroupEnd& end, GroupCosts& costs, Members& members);
    GroupPlan group_of(int first, int last, const Marching& marching, const std::array<std::int64_t, 2>& tile,
                       const Label& label) const;

    struct Proven {
        Weights weights;
        std::vector<std::vector<double>> floors;  // of groups, by last and first
    };

    int first_allowed(int last) const { return std::max(view_.first_possible(last), last + 1 - limits_.longest_group); }

    const CascadeView& view_;
    SearchLimits limits_;
    Steps steps_;
    Context context_;
    std::vector<LeastCost> least_;  // by einsum
    LoopFloors loops_;
    std::vector<Proven> proven_;  // for other weights
};

}  // namespace tilewright::fusion
