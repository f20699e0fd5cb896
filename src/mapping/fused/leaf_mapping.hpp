// A leaf's nest on a box of one size: an ordinary mapping, with the operands of shared stores in place.
#pragma once

#include <optional>
#include <vector>

#include "mapping/fused/fused_mapping.hpp"

namespace tilewright {

/// The einsum on a box of these extents.
Einsum on_box(const Einsum& einsum, const std::vector<std::int64_t>& extents);

/// The nest for boxes of these extents, else the one for all; null: none.
const LeafNest* nest_for(const FusedLeaf& leaf, const std::vector<std::int64_t>& extents);

/// `held_in`: by operand, the memory of its shared store. A memory absent from the nest stands directly inside the one
/// before it. A loop of one step is kept, for the identity of nodes. Remainders follow from the steps.
Mapping mapping_on(const LeafNest& nest, const std::vector<std::int64_t>& extents, const std::vector<int>& held_in,
                   int memory_count);

/// The mapping as a nest for boxes of `einsum`: its stores in memories inside `held_in`, its loops as steps.
LeafNest leaf_nest(const Mapping& mapping, const std::vector<int>& held_in);

}  // namespace tilewright
