#include "timeloop/sparse/full_nest.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::account {
namespace {

/// The given order, then the dimensions of `loops` from the inside, then the rest.
std::vector<int> completed(std::vector<int> order, const std::vector<Loop>& loops, int dimensions) {
    const auto add = [&](int dimension) {
        if (std::find(order.begin(), order.end(), dimension) == order.end()) order.push_back(dimension);
    };
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
        if (loop->extent > 1) add(loop->dimension);
    for (int d = 0; d < dimensions; ++d) add(d);
    return order;
}

/// Whether an order read elsewhere matches these loops.
bool agrees(const std::vector<int>& order, const std::vector<Loop>& loops) {
    auto at = order.begin();
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        if (loop->extent == 1) continue;
        at = std::find(at, order.end(), loop->dimension);
        if (at == order.end()) return false;
        ++at;
    }
    return true;
}

void add_loops(const std::vector<Loop>& loops, const std::vector<int>& given, LoopKind kind, int dimensions,
               std::vector<FullLoop>& level) {
    const std::vector<int> own = completed({}, loops, dimensions);
    const std::vector<int> order = !given.empty() && agrees(given, loops) ? completed(given, {}, dimensions) : own;
    for (const int dimension : order) {
        FullLoop full{dimension, 1, kind, {}};
        for (const Loop& loop : loops) {
            if (loop.dimension != dimension || loop.extent == 1) continue;
            full.bound = checked_mul(full.bound, loop.extent);
            full.kind = loop.kind;
        }
        level.push_back(std::move(full));
    }
}

}  // namespace

FullNest full_nest(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                   const LoopOrders& orders) {
    const int memories = architecture.memory_count();
    const std::vector<MappingLevel> levels = levels_of(mapping, memories);
    Extents box(einsum.dimensions.size(), 1);
    FullNest nest;
    for (int m = memories - 1; m >= 0; --m) {
        const LevelOrder order = orders.empty() ? LevelOrder{} : orders[m];
        std::vector<FullLoop> level;
        if (architecture.fanout(m).size() > 1)
            add_loops(levels[m].spatial, order.spatial, LoopKind::spatial_x, einsum.dimension_count(), level);
        add_loops(levels[m].temporal, order.temporal, LoopKind::temporal, einsum.dimension_count(), level);
        for (FullLoop& loop : level) {
            box[loop.dimension] = checked_mul(box[loop.dimension], loop.bound);
            loop.box = box;
        }
        nest.push_back(std::move(level));
    }
    return nest;
}

sparse::Tile tile_of(const Tensor& tensor, const Extents& box) {
    sparse::Tile tile;
    for (const Rank& rank : tensor.ranks) {
        std::int64_t low = 0;
        std::int64_t high = 0;
        for (const Term& term : rank.terms) {
            const std::int64_t reach = checked_mul(term.coefficient, box[term.dimension] - 1);
            (reach < 0 ? low : high) = checked_add(reach < 0 ? low : high, reach);
        }
        tile.push_back(high - low + 1);
    }
    return tile;
}

}  // namespace tilewright::account
