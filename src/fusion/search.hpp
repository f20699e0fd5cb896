// The best fused mapping of a cascade for weighted energy and cycles: the partition into groups is a shortest path over
// all groups, whose costs come from labels.
#pragma once

#include <cstddef>
#include <optional>

#include "fusion/context.hpp"

namespace tilewright::fusion {

struct SearchLimits {
    int longest_group = 1 << 20;  ///< einsums; 1: nothing is fused
};

class Search {
   public:
    Search(const CascadeView& view, const Machine& machine, Leaves& leaves, SearchLimits limits,
           const StopSource* stop);

    /// The best plan of all that cost no more than `bound`; nothing: there is none. With groups of one einsum, the best
    /// of all, whatever the bound. Throws Stopped.
    std::optional<FusionPlan> best(const Weights& weights, double bound);

    /// No fused mapping costs less energy, or fewer cycles.
    Cost least() const;
    /// Of the search that was stopped or has ended: the best whole plan that it came across.
    const std::optional<FusionPlan>& seen() const { return seen_; }

   private:
    struct Suffix {
        double value = 0.0;
        double tie = 0.0;
        GroupPlan group;
    };

    std::optional<FusionPlan> best_alone();
    double floor_alone(int e) const;
    void end_with(int last, std::vector<std::optional<Suffix>>& suffixes);
    GroupPlan group_of(int first, int last, const Marching& marching, const std::array<std::int64_t, 2>& tile,
                       const Label& label) const;
    FusionPlan plan_of(const std::vector<std::optional<Suffix>>& suffixes) const;

    const CascadeView& view_;
    SearchLimits limits_;
    Steps steps_;
    Context context_;
    std::vector<LeastCost> least_;  // by einsum
    std::optional<FusionPlan> seen_;
};

}  // namespace tilewright::fusion
