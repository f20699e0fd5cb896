#include "mapping/fused/fused_mapping.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright {

bool is_open(const FusedLeaf& leaf) {
    return leaf.nests.size() == 1 && leaf.nests.front().box.empty() && leaf.nests.front().nodes.empty();
}

int append(FusedMapping& mapping, int parent, decltype(FusedNode::what) what) {
    mapping.nodes.push_back({parent, std::move(what)});
    return static_cast<int>(mapping.nodes.size()) - 1;
}

namespace {

// Appends the stores of the memories from `next` up to `last`, with the operands of shared stores there.
void open_memories(Mapping& mapping, int& next, int last, const std::vector<int>& held_in) {
    for (; next <= last; ++next) {
        Store store{next, {}};
        for (std::size_t t = 0; t < held_in.size(); ++t)
            if (held_in[t] == next) store.tensors.add(static_cast<int>(t));
        mapping.nodes.emplace_back(store);
    }
}

// Opens before a loop all memories not named by, or required before, a later store of the nest.
void open_unnamed(const LeafNest& nest, std::size_t at, Mapping& mapping, int& next, int memory_count,
                  const std::vector<int>& held_in) {
    while (next < memory_count) {
        const bool named = std::any_of(nest.nodes.begin() + static_cast<std::ptrdiff_t>(at), nest.nodes.end(),
                                       [&](const LeafNode& node) {
                                           const Store* store = std::get_if<Store>(&node);
                                           return store != nullptr && store->memory == next;
                                       });
        if (named) return;
        open_memories(mapping, next, next, held_in);
    }
}

}  // namespace

Einsum on_box(const Einsum& einsum, const std::vector<std::int64_t>& extents) {
    Einsum box = einsum;
    for (std::size_t d = 0; d < extents.size(); ++d) box.dimensions[d].extent = extents[d];
    return box;
}

const LeafNest* nest_for(const FusedLeaf& leaf, const std::vector<std::int64_t>& extents) {
    const LeafNest* any = nullptr;
    for (const LeafNest& nest : leaf.nests) {
        if (nest.box == extents) return &nest;
        if (nest.box.empty() && any == nullptr) any = &nest;
    }
    return any;
}

Mapping mapping_on(const LeafNest& nest, const std::vector<std::int64_t>& extents, const std::vector<int>& held_in,
                   int memory_count) {
    Mapping mapping;
    std::vector<std::int64_t> chunk = extents;  // points of a full step so far
    std::vector<std::int64_t> last = extents;   // of the last step of the last step ...
    int next = 0;
    for (std::size_t i = 0; i < nest.nodes.size(); ++i) {
        open_unnamed(nest, i, mapping, next, memory_count, held_in);
        if (const Store* store = std::get_if<Store>(&nest.nodes[i])) {
            if (store->memory >= next) open_memories(mapping, next, store->memory, held_in);
            if (store->memory + 1 == next && std::holds_alternative<Store>(mapping.nodes.back()) &&
                std::get<Store>(mapping.nodes.back()).memory == store->memory) {
                Store& opened = std::get<Store>(mapping.nodes.back());
                opened.tensors = TensorSet::from_bits(opened.tensors.bits() | store->tensors.bits());
            } else {
                mapping.nodes.emplace_back(*store);
            }
            continue;
        }
        const LeafLoop& loop = std::get<LeafLoop>(nest.nodes[i]);
        std::int64_t& points = chunk[loop.dimension];
        std::int64_t& rest = last[loop.dimension];
        const std::int64_t step = std::min(loop.step, points);
        const std::int64_t steps = ceil_div(points, step);
        const std::int64_t in_last = ceil_div(rest, step);
        mapping.nodes.emplace_back(Loop{loop.dimension, steps, in_last, loop.kind});
        rest -= (in_last - 1) * step;
        points = step;
    }
    open_memories(mapping, next, memory_count - 1, held_in);
    return mapping;
}

LeafNest leaf_nest(const Mapping& mapping, const std::vector<int>& held_in) {
    LeafNest nest;
    std::vector<std::int64_t> inside(kMaxDimensions, 1);
    for (auto node = mapping.nodes.rbegin(); node != mapping.nodes.rend(); ++node) {
        if (const Loop* loop = std::get_if<Loop>(&*node)) {
            std::int64_t& step = inside[loop->dimension];
            if (loop->extent > 1) nest.nodes.emplace_back(LeafLoop{loop->dimension, step, loop->kind});
            step = checked_mul(step, loop->extent);
            continue;
        }
        Store store = std::get<Store>(*node);
        for (std::size_t t = 0; t < held_in.size(); ++t)
            if (store.memory <= held_in[t]) store.tensors.remove(static_cast<int>(t));
        nest.nodes.emplace_back(store);
    }
    std::ranges::reverse(nest.nodes);
    return nest;
}

}  // namespace tilewright
