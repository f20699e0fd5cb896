// Structure of a fused mapping's tree: children, leaves, and the stores on the way to each operand.
//
//     const FusedTree tree(cascade, mapping);
//     tree.chain(leaf, t)      // nodes of the stores of tensor t on the way from the root to the leaf, outermost first
//
// Requires a sound tree (problem_with_tree() is ""). Keeps a reference to the mapping; thread-safe once made.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mapping/fused/fused_mapping.hpp"

namespace tilewright {

/// Reason the nodes are no tree, or a name that does not exist, with its node (-1: as a whole); "" if sound.
struct TreeProblem {
    std::string message;
    int node = -1;
};
TreeProblem problem_with_tree(const Cascade& cascade, int memory_count, const FusedMapping& mapping);

class FusedTree {
   public:
    FusedTree(const Cascade& cascade, const FusedMapping& mapping);

    const FusedMapping& mapping() const { return *mapping_; }
    int node_count() const { return static_cast<int>(mapping_->nodes.size()); }
    const SharedLoop* loop(int node) const { return std::get_if<SharedLoop>(&what(node)); }
    const SharedStore* store(int node) const { return std::get_if<SharedStore>(&what(node)); }
    const FusedLeaf* leaf(int node) const { return std::get_if<FusedLeaf>(&what(node)); }
    bool is_split(int node) const { return std::holds_alternative<SequentialSplit>(what(node)); }
    int parent(int node) const { return mapping_->nodes[node].parent; }
    const std::vector<int>& children(int node) const { return children_[node]; }

    /// The subtree is [node, end).
    int end(int node) const { return end_[node]; }
    bool is_inside(int node, int ancestor) const { return ancestor <= node && node < end(ancestor); }
    /// Leaves of the subtree, in the order in which they run.
    std::span<const int> leaves(int node) const;
    int last_leaf(int node) const;
    const std::vector<int>& all_leaves() const { return leaves_; }
    /// The leaf of an einsum, -1: none.
    int leaf_of(int einsum) const { return leaf_of_[einsum]; }
    int last_einsum(int node) const { return leaf(last_leaf(node))->einsum; }

    /// First node of the branch of `node`: below the nearest split outside it, or the root.
    int scope(int node) const;
    /// A shared loop lies outside the node, in its branch or further out.
    bool is_in_a_loop(int node) const;

    std::vector<int> chain(int leaf, int tensor) const;
    /// The outermost store of a tensor, -1: none.
    int home(int tensor) const;
    /// An einsum inside the node writes the tensor.
    bool is_written_inside(int node, int tensor) const;

   private:
    const decltype(FusedNode::what)& what(int node) const { return mapping_->nodes[node].what; }

    const Cascade* cascade_;
    const FusedMapping* mapping_;
    std::vector<std::vector<int>> children_;
    std::vector<int> end_;
    std::vector<int> leaves_;
    std::vector<int> leaf_of_;
};

bool keeps(const SharedStore& store, int tensor);

}  // namespace tilewright
