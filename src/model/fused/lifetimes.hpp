// When a shared store is reserved.
//
// A store whose words serve a later step stays reserved for the whole of the loops inside which it stands; any other
// from the beginning of the first branch that uses its tensor to the end of the last one.
#pragma once

#include "mapping/fused/tree.hpp"
#include "model/fused/walk.hpp"

namespace tilewright::fused {

/// Its words serve a later step: of a loop outside it, or of one between it and the split below.
bool is_reserved_throughout(const FusedTree& tree, const StoreCounts& store);

/// Leaves among nodes begin .. end - 1 run while the store is reserved, no others.
struct Lifetime {
    int begin = 0;
    int end = 0;
    bool has(int leaf) const { return begin <= leaf && leaf < end; }
};
Lifetime lifetime_of(const Cascade& cascade, const FusedTree& tree, const StoreCounts& store);

/// True when the store is reserved while the leaf runs.
bool is_reserved_at(const Cascade& cascade, const FusedTree& tree, const StoreCounts& store, int leaf);

}  // namespace tilewright::fused
