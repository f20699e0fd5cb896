#include "model/fused/lifetimes.hpp"

#include <algorithm>

namespace tilewright::fused {
namespace {

// The split or leaf that ends the branch of the store.
int end_of_branch(const FusedTree& tree, int store) {
    int at = store;
    while (tree.leaf(at) == nullptr && !tree.is_split(at)) at = tree.children(at).front();
    return at;
}

bool uses(const Cascade& cascade, const FusedTree& tree, int node, int tensor) {
    return std::ranges::any_of(tree.leaves(node), [&](int leaf) {
        const auto& accesses = cascade.einsums[tree.leaf(leaf)->einsum].accesses;
        return std::ranges::any_of(accesses, [&](const Access& access) { return access.tensor == tensor; });
    });
}

}  // namespace

bool is_reserved_throughout(const FusedTree& tree, const StoreCounts& store) {
    if (store.survives) return true;
    for (int at = end_of_branch(tree, store.store); at != store.store; at = tree.parent(at))
        if (tree.loop(at) != nullptr) return true;
    return false;
}

bool is_reserved_at(const Cascade& cascade, const FusedTree& tree, const StoreCounts& store, int leaf) {
    if (!tree.is_inside(leaf, store.store)) return false;
    const int end = end_of_branch(tree, store.store);
    if (end == leaf || is_reserved_throughout(tree, store)) return true;
    bool before = false;  // a branch up to the leaf's uses the tensor
    bool after = false;   // one from the leaf's on does
    for (const int branch : tree.children(end)) {
        if (!uses(cascade, tree, branch, store.tensor)) continue;
        before = before || branch <= leaf;
        after = after || leaf < tree.end(branch);
    }
    return before && after;
}

}  // namespace tilewright::fused
