// A plan as a FusedMapping.
#pragma once

#include "fusion/space/plan.hpp"
#include "mapping/fused/fused_mapping.hpp"

namespace tilewright::fusion {

/// The tree of the plan, shared stores in `buffer`; leaves have no nests yet.
FusedMapping bare_tree(const CascadeView& view, int buffer, const FusionPlan& plan);

/// What the plan decides on an einsum. Throws std::logic_error for one that is in no group.
const MemberPlan& member_of(const FusionPlan& plan, int einsum);

/// Calls of the einsum that go on with the sums of the one before.
std::int64_t resumed_calls(const FusionPlan& plan, int einsum);

}  // namespace tilewright::fusion
