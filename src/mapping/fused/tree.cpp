#include "mapping/fused/tree.hpp"

#include <algorithm>

namespace tilewright {
namespace {

class TreeCheck {
   public:
    TreeCheck(const Cascade& cascade, int memory_count, const FusedMapping& mapping)
        : cascade_(cascade), memories_(memory_count), mapping_(mapping) {}

    TreeProblem run() {
        if (mapping_.nodes.empty()) return {"it has no nodes", -1};
        std::vector<int> children(mapping_.nodes.size(), 0);
        for (int i = 0; i < count(); ++i) {
            const int parent = node(i).parent;
            if (i == 0 ? parent != -1 : parent < 0 || parent >= i) return {"it has a node at no place of a tree", i};
            if (i > 0 && !is_open(parent, i)) return {"its nodes are not in the order of a walk", i};
            if (i > 0) ++children[parent];
        }
        for (int i = 0; i < count(); ++i)
            if (std::string problem = problem_at(i, children[i]); !problem.empty()) return {std::move(problem), i};
        return {};
    }

   private:
    int count() const { return static_cast<int>(mapping_.nodes.size()); }
    const FusedNode& node(int i) const { return mapping_.nodes[i]; }

    // Walking on to node i, the node before it has to lie at or below `parent`.
    bool is_open(int parent, int i) const {
        for (int at = i - 1; at >= 0; at = node(at).parent)
            if (at == parent) return true;
        return false;
    }

    std::string problem_at(int i, int children) {
        const auto& what = node(i).what;
        if (const auto* leaf = std::get_if<FusedLeaf>(&what)) return problem_of(*leaf, children);
        if (children == 0) return "a branch ends without a leaf";
        if (std::holds_alternative<SequentialSplit>(what)) return "";
        if (children > 1) return "a loop or store has two things below it; a split has branches";
        const auto* store = std::get_if<SharedStore>(&what);
        return store != nullptr ? problem_of(*store) : problem_of(std::get<SharedLoop>(what), i);
    }

    std::string problem_of(const SharedStore& store) const {
        if (store.memory < 0 || store.memory >= memories_) return "a store names a memory that does not exist";
        for (const int tensor : store.tensors)
            if (tensor < 0 || tensor >= cascade_.tensor_count()) return "a store names a tensor that does not exist";
        return "";
    }

    std::string problem_of(const SharedLoop& loop, int i) const {
        if (loop.step < 1) return "a loop has steps of no points";
        int last = i;
        for (int k = i + 1; k < count() && is_open(i, k) && node(k).parent >= i; ++k) last = k;
        const auto* leaf = std::get_if<FusedLeaf>(&node(last).what);
        if (leaf == nullptr || leaf->einsum < 0 || leaf->einsum >= cascade_.einsum_count())
            return "a loop has no einsum inside";
        const Einsum& einsum = cascade_.einsums[leaf->einsum].einsum;
        return loop.dimension < 0 || loop.dimension >= einsum.dimension_count()
                   ? "a loop runs over a dimension that the last einsum inside it, '" +
                         cascade_.einsums[leaf->einsum].name + "', does not have"
                   : "";
    }

    std::string problem_of(const FusedLeaf& leaf, int children) {
        if (children > 0) return "a leaf has something below it";
        if (leaf.einsum < 0 || leaf.einsum >= cascade_.einsum_count())
            return "a leaf names an einsum that does not exist";
        const CascadeEinsum& einsum = cascade_.einsums[leaf.einsum];
        if (leaf.nests.empty()) return "leaf '" + einsum.name + "' has no mapping";
        if (std::ranges::count(seen_, leaf.einsum) > 0) return "einsum '" + einsum.name + "' has two leaves";
        seen_.push_back(leaf.einsum);
        for (const LeafNest& nest : leaf.nests)
            if (std::string problem = problem_of(nest, einsum); !problem.empty()) return problem;
        return "";
    }

    std::string problem_of(const LeafNest& nest, const CascadeEinsum& einsum) const {
        const std::string leaf = "leaf '" + einsum.name + "' ";
        if (!nest.box.empty() && nest.box.size() != einsum.einsum.dimensions.size())
            return leaf + "names a box of another number of dimensions";
        for (const LeafNode& one : nest.nodes) {
            const auto* loop = std::get_if<LeafLoop>(&one);
            if (loop != nullptr && (loop->dimension < 0 || loop->dimension >= einsum.einsum.dimension_count()))
                return leaf + "has a loop over a dimension that does not exist";
            if (loop != nullptr && loop->step < 1) return leaf + "has a loop with steps of no points";
            const auto* store = std::get_if<Store>(&one);
            if (store != nullptr && (store->memory < 0 || store->memory >= memories_))
                return leaf + "has a store in a memory that does not exist";
            if (store != nullptr && (store->tensors.bits() & ~TensorSet::all(einsum.einsum.tensor_count()).bits()) != 0)
                return leaf + "stores an operand that does not exist";
        }
        return "";
    }

    const Cascade& cascade_;
    int memories_;
    const FusedMapping& mapping_;
    std::vector<int> seen_;
};

}  // namespace

bool keeps(const SharedStore& store, int tensor) {
    return std::ranges::find(store.tensors, tensor) != store.tensors.end();
}

TreeProblem problem_with_tree(const Cascade& cascade, int memory_count, const FusedMapping& mapping) {
    return TreeCheck(cascade, memory_count, mapping).run();
}

FusedTree::FusedTree(const Cascade& cascade, const FusedMapping& mapping)
    : cascade_(&cascade),
      mapping_(&mapping),
      children_(mapping.nodes.size()),
      end_(mapping.nodes.size()),
      leaf_of_(cascade.einsums.size(), -1) {
    for (int i = node_count(); i-- > 0;) {
        end_[i] = i + 1;
        for (const int child : children(i)) end_[i] = std::max(end_[i], end(child));
        if (i > 0) {
            std::vector<int>& siblings = children_[parent(i)];
            siblings.insert(siblings.begin(), i);
        }
    }
    for (int i = 0; i < node_count(); ++i)
        if (const FusedLeaf* one = leaf(i)) {
            leaves_.push_back(i);
            leaf_of_[one->einsum] = i;
        }
}

std::span<const int> FusedTree::leaves(int node) const {
    return {std::ranges::lower_bound(leaves_, node), std::ranges::lower_bound(leaves_, end(node))};
}

int FusedTree::last_leaf(int node) const { return end(node) - 1; }

int FusedTree::scope(int node) const {
    while (parent(node) >= 0 && !is_split(parent(node))) node = parent(node);
    return node;
}

bool FusedTree::is_in_a_loop(int node) const {
    for (int at = parent(node); at >= 0; at = parent(at))
        if (loop(at) != nullptr) return true;
    return false;
}

std::vector<int> FusedTree::chain(int leaf, int tensor) const {
    std::vector<int> stores;
    for (int at = parent(leaf); at >= 0; at = parent(at))
        if (const SharedStore* one = store(at); one != nullptr && keeps(*one, tensor))
            stores.insert(stores.begin(), at);
    return stores;
}

int FusedTree::home(int tensor) const {
    for (int i = 0; i < node_count(); ++i)
        if (const SharedStore* one = store(i); one != nullptr && keeps(*one, tensor)) return i;
    return -1;
}

bool FusedTree::is_written_inside(int node, int tensor) const {
    const auto& writers = cascade_->tensors[tensor].writers;
    return std::ranges::any_of(writers, [&](const TensorUse& use) {
        const int at = leaf_of(use.einsum);
        return at >= 0 && is_inside(at, node);
    });
}

}  // namespace tilewright
