#include "silicon/kernels/nest.hpp"

#include <algorithm>
#include <array>

#include "base/numbers/checked.hpp"
#include "mapping/tile.hpp"
#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon {
namespace {

constexpr std::int64_t kMostLaneColumns = 64;

std::int64_t largest_divisor(std::int64_t value, std::int64_t most) {
    for (std::int64_t divisor = std::min(value, most); divisor > 1; --divisor)
        if (value % divisor == 0) return divisor;
    return 1;
}

enum class Side : std::uint8_t { rows, columns, depth };

std::optional<Side> side_of(const std::optional<Axis>& axis) {
    if (!axis) return std::nullopt;
    if (*axis == Axis::k) return Side::columns;
    return *axis == Axis::n || *axis == Axis::p || *axis == Axis::q ? Side::rows : Side::depth;
}

// The one dimension of each side, -1 for a single step; empty if there are more.
std::optional<std::array<int, 3>> dimensions_of(const Einsum& einsum) {
    std::array<int, 3> result{-1, -1, -1};
    const std::vector<std::optional<Axis>> axes = axes_of(einsum);
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        const std::optional<Side> side = side_of(axes[d]);
        if (!side || einsum.dimensions[d].extent == 1) continue;
        int& place = result[static_cast<std::size_t>(*side)];
        if (place >= 0) return std::nullopt;
        place = d;
    }
    return result;
}

// Arrangement of blocks on the multiprocessors, rows by columns: fewest waves, on ties more columns.
Tile beside(std::int64_t grid_rows, std::int64_t grid_columns, std::int64_t places) {
    Tile best{1, 1};
    std::int64_t fewest = grid_rows * grid_columns;
    for (std::int64_t columns = std::min(grid_columns, places); columns >= 1; --columns) {
        const std::int64_t rows = std::min(grid_rows, places / columns);
        const std::int64_t waves = ceil_div(grid_rows, rows) * ceil_div(grid_columns, columns);
        if (waves >= fewest) continue;
        fewest = waves;
        best = {rows, columns};
    }
    return best;
}

class Nest {
   public:
    Nest(const std::array<int, 3>& dimensions, std::size_t levels) : dimensions_(dimensions), levels_(levels) {}

    void temporal(std::size_t level, Side side, std::int64_t extent) {
        add(levels_[level].temporal, side, extent, LoopKind::temporal);
    }
    void spatial(std::size_t level, Side side, std::int64_t extent) {
        add(levels_[level].spatial, side, extent, LoopKind::spatial_x);
    }
    std::vector<MappingLevel>& levels() { return levels_; }

   private:
    void add(std::vector<Loop>& loops, Side side, std::int64_t extent, LoopKind kind) {
        const int dimension = dimensions_[static_cast<std::size_t>(side)];
        if (extent > 1 && dimension >= 0) loops.push_back({dimension, extent, extent, kind});
    }

    std::array<int, 3> dimensions_;
    std::vector<MappingLevel> levels_;
};

// Spreading levels: over the multiprocessors, then (from there inwards) over the lanes.
std::optional<std::size_t> spreading(const Architecture& architecture, int from, int to) {
    for (int level = from; level < to; ++level)
        if (architecture.fanout(level).size() > 1) return static_cast<std::size_t>(level);
    return std::nullopt;
}

}  // namespace

std::optional<Mapping> mapping_of(const BlockMapping& blocks, const Einsum& einsum, const Architecture& architecture,
                                  const std::vector<TensorSet>& keep, const KernelMachine& machine) {
    const auto product = product_of(einsum);
    const auto dimensions = dimensions_of(einsum);
    const auto outer = spreading(architecture, 0, machine.unit_level);
    const auto lanes = spreading(architecture, machine.unit_level, architecture.memory_count());
    if (!product || !dimensions || !outer || !lanes) return std::nullopt;
    const Tile tile{std::min(blocks.tile.rows, product->rows), std::min(blocks.tile.columns, product->columns)};
    const std::int64_t grid_rows = ceil_div(product->rows, tile.rows);
    const std::int64_t grid_columns = ceil_div(product->columns, tile.columns);
    const Tile spread = beside(grid_rows, grid_columns, machine.multiprocessors / blocks.split);
    const std::int64_t depth = std::min(product->depth, machine.depth_step);
    const std::int64_t lane_columns = largest_divisor(tile.columns, kMostLaneColumns);
    const std::int64_t lane_rows =
        largest_divisor(tile.rows, architecture.fanout(static_cast<int>(*lanes)).size() / lane_columns);
    Nest nest(*dimensions, architecture.memories.size());
    for (std::size_t level = 0; level < keep.size(); ++level) nest.levels()[level].keep = keep[level];
    nest.temporal(0, Side::rows, ceil_div(grid_rows, spread.rows));
    nest.temporal(0, Side::columns, ceil_div(grid_columns, spread.columns));
    nest.temporal(0, Side::depth, ceil_div(product->depth, depth * blocks.split));
    nest.spatial(*outer, Side::depth, blocks.split);
    nest.spatial(*outer, Side::rows, spread.rows);
    nest.spatial(*outer, Side::columns, spread.columns);
    const std::size_t inside = *lanes > 0 && architecture.memories[*lanes].spreads_only ? *lanes - 1 : *lanes;
    nest.temporal(inside, Side::depth, depth);
    nest.temporal(inside, Side::rows, tile.rows / lane_rows);
    nest.temporal(inside, Side::columns, tile.columns / lane_columns);
    nest.spatial(*lanes, Side::rows, lane_rows);
    nest.spatial(*lanes, Side::columns, lane_columns);
    Mapping mapping = tilewright::mapping_of(nest.levels());
    if (!restore_remainders(mapping, einsum)) return std::nullopt;
    return mapping;
}

std::variant<BlockMapping, std::string> blocks_of(const Einsum& einsum, const Architecture& architecture,
                                                  const Mapping& mapping, const KernelMachine& machine) {
    const auto product = product_of(einsum);
    if (!product) return std::string("it is no matrix product");
    if (!is_even(mapping, architecture.memory_count())) return std::string("its mapping is uneven");
    const std::vector<std::optional<Axis>> axes = axes_of(einsum);
    const Extents held = store_extents(einsum, mapping)[machine.unit_level];
    BlockMapping blocks;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        if (side_of(axes[d]) == Side::rows) blocks.tile.rows *= held[d];
        if (side_of(axes[d]) == Side::columns) blocks.tile.columns *= held[d];
    }
    const std::vector<MappingLevel> levels = levels_of(mapping, architecture.memory_count());
    for (int level = 0; level < machine.unit_level; ++level)
        for (const Loop& loop : levels[level].spatial)
            if (side_of(axes[loop.dimension]) == Side::depth) blocks.split *= loop.extent;
    blocks.blocks =
        ceil_div(product->rows, blocks.tile.rows) * ceil_div(product->columns, blocks.tile.columns) * blocks.split;
    blocks.waves = ceil_div(blocks.blocks, machine.multiprocessors);
    return blocks;
}

}  // namespace tilewright::silicon
