// A plan as a FusedMapping, with a nest for every box that its leaves make.
#pragma once

#include "fusion/leaf/leaves.hpp"
#include "fusion/space/plan.hpp"
#include "mapping/fused/fused_mapping.hpp"

namespace tilewright::fusion {

/// The tree of the plan, shared stores in `buffer`; leaves have no nests yet.
FusedMapping bare_tree(const CascadeView& view, int buffer, const FusionPlan& plan);

/// What the plan decides on an einsum. Throws std::logic_error for one that is in no group.
const MemberPlan& member_of(const FusionPlan& plan, int einsum);

/// Calls of the einsum that go on with the sums of the one before.
std::int64_t resumed_calls(const FusionPlan& plan, int einsum);

/// The same with the nests that the plan's costs stand for. Throws std::logic_error for a plan that no search made.
FusedMapping mapping_of(const CascadeView& view, const Machine& machine, Leaves& leaves, const FusionPlan& plan);

/// The point of least value that takes no more words; null: there is none.
const LeafPoint* best_within(const LeafFront& front, const Weights& weights, std::int64_t words);

}  // namespace tilewright::fusion
