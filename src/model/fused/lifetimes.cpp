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

// Nodes are numbered from the root down, one branch after the other.
Lifetime lifetime_of(const Cascade& cascade, const FusedTree& tree, const StoreCounts& store) {
    const int end = end_of_branch(tree, store.store);
    if (tree.leaf(end) != nullptr || is_reserved_throughout(tree, store)) return {store.store, tree.end(store.store)};
    Lifetime lifetime;
    for (const int branch : tree.children(end)) {
        if (!uses(cascade, tree, branch, store.tensor)) continue;
        if (lifetime.end == 0) lifetime.begin = branch;
        lifetime.end = tree.end(branch);
    }
    return lifetime;
}

bool is_reserved_at(const Cascade& cascade, const FusedTree& tree, const StoreCounts& store, int leaf) {
    return tree.is_inside(leaf, store.store) && lifetime_of(cascade, tree, store).has(leaf);
}

}  // namespace tilewright::fused
