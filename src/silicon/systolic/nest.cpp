#include "silicon/systolic/nest.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::silicon {
namespace {

// A dimension per axis; products name their rows p, whatever the einsum's name.
class Dimensions {
   public:
    Dimensions(const Einsum& einsum, bool is_product) {
        index_.fill(-1);
        const std::vector<std::optional<Axis>> axes = axes_of(einsum);
        for (int d = 0; d < einsum.dimension_count(); ++d)
            if (axes[d] && einsum.dimensions[d].extent > 1) index_[static_cast<std::size_t>(*axes[d])] = d;
        int& p = index_[static_cast<std::size_t>(Axis::p)];
        int& n = index_[static_cast<std::size_t>(Axis::n)];
        if (is_product && p < 0) std::swap(p, n);
    }

    void add(Axis axis, std::int64_t extent, LoopKind kind, std::vector<Loop>& loops) const {
        const int dimension = index_[static_cast<std::size_t>(axis)];
        if (extent > 1 && dimension >= 0) loops.push_back({dimension, extent, extent, kind});
    }

   private:
    std::array<int, kAxes> index_{};
};

void add_around(const TiledLayer& layer, const Dimensions& dimensions, std::vector<Loop>& loops) {
    std::vector<Axis> order = layer.order;
    for (const Axis axis : {Axis::c, Axis::r, Axis::s, Axis::k, Axis::p, Axis::q, Axis::n})
        if (std::ranges::find(order, axis) == order.end()) order.push_back(axis);
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis)
        dimensions.add(*axis, ceil_div(layer.whole[*axis], layer.tile[*axis]), LoopKind::temporal, loops);
}

// The memory instanced by the array's columns, or (if none) the first inside DRAM.
int level_of_tile(const Architecture& architecture, const SystolicMachine& machine) {
    for (int level = machine.array.rows_level; level > 0; --level)
        if (!architecture.memories[level].spreads_only) return level;
    return 0;
}

}  // namespace

std::optional<Mapping> mapping_of(const TiledLayer& layer, const Einsum& einsum, const Architecture& architecture,
                                  const std::vector<TensorSet>& keep, const SystolicMachine& machine) {
    const Dimensions dimensions(einsum, layer.is_product);
    const SystolicArray& array = machine.array;
    const AxisExtents& tile = layer.tile;
    std::vector<MappingLevel> levels(architecture.memories.size());
    for (std::size_t level = 0; level < levels.size(); ++level) levels[level].keep = keep[level];
    add_around(layer, dimensions, levels.front().temporal);
    // Blocks of columns lie inside the array's: 24 channels on 16 columns are two on each of 12.
    const std::int64_t column_blocks = ceil_div(tile[Axis::k], array.columns);
    std::vector<Loop>& inside = levels[level_of_tile(architecture, machine)].temporal;
    dimensions.add(Axis::k, column_blocks, LoopKind::temporal, inside);
    dimensions.add(Axis::s, tile[Axis::s], LoopKind::temporal, inside);
    dimensions.add(Axis::r, tile[Axis::r], LoopKind::temporal, inside);
    dimensions.add(Axis::c, ceil_div(tile[Axis::c], array.rows), LoopKind::temporal, inside);
    dimensions.add(Axis::n, tile[Axis::n], LoopKind::temporal, inside);
    dimensions.add(Axis::q, tile[Axis::q], LoopKind::temporal, inside);
    dimensions.add(Axis::p, tile[Axis::p], LoopKind::temporal, inside);
    const auto along = [&](int level) {
        return architecture.fanout(level).x > 1 ? LoopKind::spatial_x : LoopKind::spatial_y;
    };
    dimensions.add(Axis::k, ceil_div(tile[Axis::k], column_blocks), along(array.columns_level),
                   levels[array.columns_level].spatial);
    dimensions.add(Axis::c, std::min(tile[Axis::c], array.rows), along(array.rows_level),
                   levels[array.rows_level].spatial);
    Mapping mapping = tilewright::mapping_of(levels);
    if (!restore_remainders(mapping, einsum)) return std::nullopt;
    return mapping;
}

}  // namespace tilewright::silicon
