#include "certificate/claim/membership.hpp"

#include <algorithm>
#include <cstdint>

#include "mapping/tiling_point.hpp"
#include "mapping/uneven.hpp"

namespace tilewright::certificate {
namespace {

/// The constraints on loop orders hold. A mapping has no loops of one iteration: they may be anywhere in the order.
std::optional<TilingPoint> arranged(const Mapspace& mapspace, const std::optional<TilingPoint>& point) {
    if (!point) return std::nullopt;
    TilingPoint arranged = *point;
    mapspace.arrange(arranged);
    return arranged == *point ? std::optional(arranged) : std::nullopt;
}

// A memory keeping nothing has one store, every other store keeps something.
bool stores_once(const Mapping& mapping, const std::vector<MappingLevel>& levels) {
    std::vector<int> empty_stores(levels.size(), 0);
    for (const Node& node : mapping.nodes)
        if (const Store* store = std::get_if<Store>(&node); store != nullptr && store->tensors.empty()) {
            const auto memory = static_cast<std::size_t>(store->memory);
            if (!levels[memory].keep.empty() || ++empty_stores[memory] > 1) return false;
        }
    return true;
}

// Between two stores a dimension has one temporal loop.
bool loops_once(const Mapping& mapping) {
    std::uint32_t seen = 0;
    for (const Node& node : mapping.nodes) {
        const Loop* loop = std::get_if<Loop>(&node);
        if (loop == nullptr) {
            seen = 0;
        } else if (!loop->is_spatial()) {
            if ((seen >> loop->dimension & 1U) != 0) return false;
            seen |= 1U << loop->dimension;
        }
    }
    return true;
}

// Of a memory's own loops, outermost first: a bounded factor has one loop, and a given order is kept.
bool owns(const Mapspace& mapspace, int level, const std::vector<Loop>& loops, const TilingPoint& point) {
    const auto& order = point[level].order;
    const int first = mapspace.first_movable(level);
    const int movable = static_cast<int>(mapspace.movable(level).size());
    const auto turn = [&](int dimension) {
        const int at = static_cast<int>(std::find(order.begin(), order.end(), dimension) - order.begin());
        return at < first || at >= first + movable ? at : first;
    };
    std::uint32_t seen = 0;
    int last = point.dimension_count();
    for (const Loop& loop : loops) {
        const FactorBounds& bounds = mapspace.temporal_bounds(level, loop.dimension);
        std::int64_t temporal = 1;
        for (int l = 0; l < point.level_count(); ++l) temporal *= point[l].temporal[loop.dimension];
        const bool bounded = bounds.at_least > 1 || bounds.at_most < temporal;
        if (bounded && (seen >> loop.dimension & 1U) != 0) return false;
        seen |= 1U << loop.dimension;
        if (turn(loop.dimension) > last) return false;
        last = turn(loop.dimension);
    }
    return true;
}

bool is_in_uneven(const Mapspace& mapspace, const Einsum& einsum, const Architecture& machine, const Mapping& mapping) {
    const std::vector<MappingLevel> levels = owned_levels(mapping, machine.memory_count());
    if (!mapping.options.empty() || !is_perfect(mapping) || !stores_once(mapping, levels) || !loops_once(mapping))
        return false;
    std::vector<MappingLevel> assignment = levels;
    for (MappingLevel& level : assignment) level.temporal.clear();
    std::optional<TilingPoint> point = arranged(mapspace, perfect_point_of(mapping_of(assignment), einsum, machine));
    if (!point) return false;
    for (int l = 0; l < point->level_count(); ++l)
        for (const Loop& loop : levels[l].temporal)
            (*point)[l].temporal[loop.dimension] *= static_cast<std::int32_t>(loop.extent);
    if (!mapspace.contains(*point)) return false;
    for (int l = 0; l < point->level_count(); ++l)
        if (!owns(mapspace, l, levels[l].temporal, *point)) return false;
    return true;
}

bool is_in_imperfect(const Mapspace& mapspace, const Einsum& einsum, const Architecture& machine,
                     const Mapping& mapping) {
    const std::optional<TilingPoint> point = arranged(mapspace, point_of(mapping, einsum, machine));
    return point && mapspace.contains(*point);
}

}  // namespace

bool is_in(const Mapspace& mapspace, Storage storage, const Einsum& einsum, const Architecture& machine,
           const Mapping& mapping) {
    if (storage == Storage::uneven) return is_in_uneven(mapspace, einsum, machine, mapping);
    if (mapspace.has_remainders()) return is_in_imperfect(mapspace, einsum, machine, mapping);
    const std::optional<TilingPoint> point = arranged(mapspace, perfect_point_of(mapping, einsum, machine));
    return point && mapspace.contains(*point);
}

}  // namespace tilewright::certificate
