// A leaf's nest on a box of one size: an ordinary mapping, with the operands that shared stores hold already in place.
#pragma once

#include <optional>
#include <vector>

#include "mapping/fused/fused_mapping.hpp"

namespace tilewright {

/// The einsum on a box of these extents.
Einsum on_box(const Einsum& einsum, const std::vector<std::int64_t>& extents);

/// The nest for boxes of these extents: the one that names them, else the one for all; null: the leaf has none.
const LeafNest* nest_for(const FusedLeaf& leaf, const std::vector<std::int64_t>& extents);

/// `held_in`: by operand, the memory whose shared store holds it. A memory that the nest does not name stands directly
/// inside the one before it. A loop of one step is kept, so that nodes can be told. Remainders are those that the steps
/// leave.
Mapping mapping_on(const LeafNest& nest, const std::vector<std::int64_t>& extents, const std::vector<int>& held_in,
                   int memory_count);

/// A nest that maps boxes of `einsum` as the mapping maps all of it: of its stores, those of operands in memories
/// inside the one that holds them (`held_in`), and its loops as steps.
LeafNest leaf_nest(const Mapping& mapping, const std::vector<int>& held_in);

}  // namespace tilewright
