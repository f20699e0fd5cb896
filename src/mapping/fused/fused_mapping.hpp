// FusedMapping: loops and memories shared by the einsums of a cascade, as a tree.
//
//     Store DRAM {A, W1, W2, C}
//       Loop p by 16                       <- over a dimension of fc2, the last einsum inside
//         Store Buffer {A, B, C}           <- B is made, kept and read here; it never reaches the DRAM
//           Split                          <- one branch after the other
//             Leaf fc1: a mapping of one step's box of fc1
//             Leaf fc2
//
// A shared loop cuts the iterations of the last einsum inside it into steps of `step` points, the last one perhaps
// shorter. A store names the memory of a tensor's tile; its place among the loops decides the tile's size and its reuse
// by the next step (docs/fusion.md). A leaf is an ordinary mapping of one einsum, written as steps so that it fits
// boxes of any size. Values; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mapping/mapping.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright {

/// Temporal; over a dimension of the last einsum inside.
struct SharedLoop {
    int dimension = 0;
    std::int64_t step = 1;  ///< points of the dimension in one step, >= 1

    bool operator==(const SharedLoop&) const = default;
};

struct SharedStore {
    int memory = 0;            ///< index into Architecture::memories
    std::vector<int> tensors;  ///< indices into Cascade::tensors
    bool fresh = false;        ///< no content survives a step of the outer loops

    bool operator==(const SharedStore&) const = default;
};

/// Its branches run one after the other, each on all compute units.
struct SequentialSplit {
    bool operator==(const SequentialSplit&) const = default;
};

/// A loop of a leaf: it cuts the rest of a dimension into steps.
struct LeafLoop {
    int dimension = 0;
    std::int64_t step = 1;
    LoopKind kind = LoopKind::temporal;

    bool operator==(const LeafLoop&) const = default;
};

/// Store::tensors are operands of the einsum.
using LeafNode = std::variant<Store, LeafLoop>;

/// A leaf's nest for boxes of these extents (one per dimension; empty: all boxes without their own nest).
struct LeafNest {
    std::vector<std::int64_t> box = {};
    std::vector<LeafNode> nodes;

    bool operator==(const LeafNest&) const = default;
};

struct FusedLeaf {
    int einsum = 0;
    std::vector<LeafNest> nests;

    bool operator==(const FusedLeaf&) const = default;
};

/// Its mapping is left open: one empty nest for all boxes. (It maps boxes of one point.)
bool is_open(const FusedLeaf& leaf);

struct FusedNode {
    int parent = -1;
    std::variant<SharedLoop, SharedStore, SequentialSplit, FusedLeaf> what;

    bool operator==(const FusedNode&) const = default;
};

/// Nodes in preorder from the root (node 0). Loops and stores have one child, splits one or more, leaves none.
struct FusedMapping {
    std::vector<FusedNode> nodes;

    bool operator==(const FusedMapping&) const = default;
};

/// Appends a node below `parent` (-1: the root) and returns its index.
int append(FusedMapping& mapping, int parent, decltype(FusedNode::what) what);

// A leaf's nest on a box of one size: an ordinary mapping, with the operands of shared stores in place.

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
