#include "mapping/mapping.hpp"

namespace tilewright {

bool is_even(const Mapping& mapping, int memory_count) {
    int stores = 0;
    bool inside_spatial = false;
    for (const Node& node : mapping.nodes) {
        if (const Store* store = std::get_if<Store>(&node)) {
            if (store->memory != stores) return false;
            ++stores;
            inside_spatial = false;
            continue;
        }
        const Loop& loop = std::get<Loop>(node);
        if (stores == 0) return false;
        if (inside_spatial && !loop.is_spatial()) return false;
        inside_spatial = loop.is_spatial();
    }
    return stores == memory_count;
}

std::vector<MappingLevel> levels_of(const Mapping& mapping, int memory_count) {
    std::vector<MappingLevel> levels;
    levels.reserve(static_cast<std::size_t>(memory_count));
    for (const Node& node : mapping.nodes) {
        if (const Store* store = std::get_if<Store>(&node)) {
            levels.push_back({store->tensors, {}, {}});
            continue;
        }
        const Loop& loop = std::get<Loop>(node);
        (loop.is_spatial() ? levels.back().spatial : levels.back().temporal).push_back(loop);
    }
    return levels;
}

Mapping mapping_of(const std::vector<MappingLevel>& levels) {
    Mapping mapping;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        mapping.nodes.emplace_back(Store{static_cast<int>(i), levels[i].keep});
        for (const Loop& loop : levels[i].temporal) mapping.nodes.emplace_back(loop);
        for (const Loop& loop : levels[i].spatial) mapping.nodes.emplace_back(loop);
    }
    return mapping;
}

bool is_perfect(const Mapping& mapping) {
    for (const Node& node : mapping.nodes)
        if (const Loop* loop = std::get_if<Loop>(&node); loop != nullptr && !loop->is_perfect()) return false;
    return true;
}

bool restore_remainders(Mapping& mapping, const Einsum& einsum) {
    std::vector<std::int64_t> left;  // per dimension: (extent - 1) / product of the extents inside the current loop
    for (const Dimension& dimension : einsum.dimensions) left.push_back(dimension.extent - 1);
    Mapping restored = mapping;
    std::vector<Loop*> outermost(einsum.dimensions.size(), nullptr);
    for (auto node = restored.nodes.rbegin(); node != restored.nodes.rend(); ++node) {
        Loop* loop = std::get_if<Loop>(&*node);
        if (loop == nullptr) continue;
        if (loop->extent < 1) return false;
        std::int64_t& rest = left[loop->dimension];
        loop->remainder = rest % loop->extent + 1;
        rest /= loop->extent;
        outermost[loop->dimension] = loop;
    }
    for (std::size_t d = 0; d < left.size(); ++d) {
        if (left[d] != 0) return false;
        if (outermost[d] != nullptr && outermost[d]->remainder != outermost[d]->extent) return false;
    }
    mapping = std::move(restored);
    return true;
}

}  // namespace tilewright
