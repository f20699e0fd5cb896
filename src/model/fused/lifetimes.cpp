#include "model/fused/lifetimes.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"

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

Reservations::Reservations(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
                           const std::vector<StoreCounts>& stores, std::vector<std::int64_t> widths)
    : cascade_(cascade), architecture_(architecture), tree_(tree), stores_(stores), widths_(std::move(widths)) {
    widths_.resize(stores.size(), 0);
    for (const StoreCounts& store : stores) lifetimes_.push_back(lifetime_of(cascade, tree, store));
}

std::int64_t Reservations::bits(int memory, int leaf, std::vector<std::string>* parts) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < stores_.size(); ++i) {
        const StoreCounts& store = stores_[i];
        if (!lifetimes_[i].has(leaf) || tree_.store(store.store)->memory != memory || store.tile_words == 0) continue;
        const CascadeTensor& tensor = cascade_.tensors[store.tensor];
        sum = checked_add(sum, bits_of(memory, store.tile_words, widths_[i] > 0 ? widths_[i] : tensor.bits));
        if (parts != nullptr) parts->push_back(tensor.name + " " + std::to_string(store.tile_words));
    }
    return sum;
}

std::int64_t Reservations::bits_of(int memory, std::int64_t words, std::int64_t tensor_bits) const {
    return checked_mul(words, tensor_bits > 0 ? tensor_bits : architecture_.memories[memory].word_bits);
}

std::string too_many_words(const std::string& memory, std::int64_t words, std::int64_t usable, const std::string& leaf,
                           const std::vector<std::string>& parts) {
    return memory + " holds " + std::to_string(words) + " words while '" + leaf + "' runs, " +
           std::to_string(words - usable) + " more than its " + std::to_string(usable) + ": " + list_words(parts);
}

}  // namespace tilewright::fused
