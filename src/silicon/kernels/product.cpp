#include "silicon/kernels/product.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "base/numbers/checked.hpp"
#include "mapping/tile.hpp"
#include "silicon/kernels/implicit.hpp"
#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon {
namespace {

constexpr double kPartialSumBytes = 8.0;  // of a 32-bit one, written and read

std::int64_t rounded_up(std::int64_t value, std::int64_t step) { return ceil_div(value, step) * step; }

double operations(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
}

double words(std::int64_t a, std::int64_t b) { return static_cast<double>(a) * static_cast<double>(b); }

double bytes_each(double own, const KernelMachine& machine) {
    return own > 0.0 ? own : static_cast<double>(machine.word_bytes);
}

double weight_bytes(const Product& product, const KernelMachine& machine) {
    return bytes_each(product.weight_bytes, machine) * words(product.depth, product.columns);
}

double bytes_moved(const Product& product, const KernelMachine& machine) {
    const double inputs = product.input_words > 0.0 ? product.input_words : words(product.rows, product.depth);
    return bytes_each(product.input_bytes, machine) * inputs + weight_bytes(product, machine) +
           bytes_each(product.result_bytes, machine) * words(product.rows, product.columns);
}

// A matrix unit takes the product whole, padded; resident weights come from the cache.
ProductLatency padded_latency(const Product& product, const KernelMachine& machine) {
    ProductLatency result;
    result.launch_us = machine.calibration.launch_us;
    result.block_us =
        operations(rounded_up(product.rows, machine.unit_rows), rounded_up(product.columns, machine.unit_columns),
                   rounded_up(product.depth, machine.unit_depth)) /
        machine.reached_operations_per_us();
    const bool from_cache = product.weights_resident && machine.calibration.cache_bytes_per_us > 0.0;
    result.memory_us = from_cache ? weight_bytes(product, machine) / machine.calibration.cache_bytes_per_us
                                  : bytes_moved(product, machine) / machine.reached_bytes_per_us();
    result.us = result.launch_us + overlapped(result.block_us, result.memory_us, machine.overlap_exponent);
    result.mapping = {{product.rows, product.columns}, 1, 1, 1};
    result.compared = 1;
    return result;
}

std::int64_t least_rows(const std::vector<Tile>& tiles) {
    return std::ranges::min_element(tiles, {}, &Tile::rows)->rows;
}

}  // namespace

std::vector<BlockMapping> block_mappings(const Product& product, const KernelMachine& machine) {
    std::vector<BlockMapping> result;
    const std::int64_t smallest = least_rows(machine.tiles);
    for (const Tile& tile : machine.tiles) {
        // Half of such a tile would be padding; software has a smaller one for it.
        if (tile.rows >= 2 * product.rows && tile.rows > smallest) continue;
        const std::int64_t grid = ceil_div(product.rows, tile.rows) * ceil_div(product.columns, tile.columns);
        for (const std::int64_t split : machine.splits) {
            const bool is_useful = grid < machine.multiprocessors && product.depth >= machine.least_split_depth * split;
            if (split > 1 && !is_useful) break;
            result.push_back({tile, split, grid * split, ceil_div(grid * split, machine.multiprocessors)});
        }
    }
    return result;
}

ProductLatency latency_of(const Product& product, const BlockMapping& mapping, const KernelMachine& machine) {
    const Tile& tile = mapping.tile;
    const bool is_split = mapping.split > 1;
    const std::int64_t depth = rounded_up(ceil_div(product.depth, mapping.split), machine.depth_step);
    const double compute = operations(tile.rows, tile.columns, depth) * static_cast<double>(machine.multiprocessors) /
                           machine.reached_operations_per_us();
    const double operands =
        bytes_each(product.input_bytes, machine) * words(depth, std::min(tile.rows, product.rows)) +
        bytes_each(product.weight_bytes, machine) * words(depth, std::min(tile.columns, product.columns));
    const double inlet = machine.inlet_bytes_per_us > 0.0 ? operands / machine.inlet_bytes_per_us : 0.0;
    const double sums =
        is_split ? kPartialSumBytes * words(product.rows, product.columns) * static_cast<double>(mapping.split) : 0.0;
    ProductLatency result;
    result.launch_us = machine.calibration.launch_us * (is_split ? 2.0 : 1.0);
    result.block_us = static_cast<double>(mapping.waves) * std::max(compute, inlet);
    result.memory_us = (bytes_moved(product, machine) + sums) / machine.reached_bytes_per_us();
    result.inlet_binds = inlet > compute;
    result.us = result.launch_us + overlapped(result.block_us, result.memory_us, machine.overlap_exponent);
    result.mapping = mapping;
    result.compared = 1;
    return result;
}

std::optional<ProductLatency> latency_of_blocks(const Product& product, const BlockMapping& blocks,
                                                const KernelMachine& machine) {
    std::optional<ProductLatency> best;
    for (const BlockMapping& kernel : block_mappings(product, machine)) {
        const bool covers = kernel.tile.rows >= blocks.tile.rows && kernel.tile.columns >= blocks.tile.columns;
        if (!covers || kernel.split != blocks.split) continue;
        const ProductLatency run =
            latency_of(product, {kernel.tile, kernel.split, blocks.blocks, blocks.waves}, machine);
        if (!best || run.us < best->us) best = run;
    }
    return best;
}

ProductLatency product_latency(const Product& product, const KernelMachine& machine) {
    if (!machine.has_blocks()) return padded_latency(product, machine);
    const std::vector<BlockMapping> mappings = block_mappings(product, machine);
    ProductLatency best = latency_of(product, mappings.front(), machine);
    for (const BlockMapping& mapping : mappings) {
        const ProductLatency other = latency_of(product, mapping, machine);
        if (other.us < best.us) best = other;
    }
    best.compared = static_cast<std::int64_t>(mappings.size());
    return best;
}

double roofline_us(const Product& product, const KernelMachine& machine) {
    return std::max(operations(product.rows, product.columns, product.depth) / machine.operations_per_us,
                    bytes_moved(product, machine) / machine.memory_bytes_per_us);
}

std::optional<Product> product_of(const Einsum& einsum) {
    const auto layer = whole_layer(einsum);
    const auto* known = std::get_if<TiledLayer>(&layer);
    if (known == nullptr) return std::nullopt;
    const AxisExtents& whole = known->whole;
    const bool is_pointwise =
        whole[Axis::r] == 1 && whole[Axis::s] == 1 && known->columns.stride == 1 && known->rows.stride == 1;
    if (!is_pointwise) return std::nullopt;
    return Product{whole[Axis::n] * whole[Axis::p] * whole[Axis::q], whole[Axis::k], whole[Axis::c], false};
}

namespace {

constexpr std::int64_t kMostLaneColumns = 64;

std::int64_t largest_divisor(std::int64_t value, std::int64_t most) {
    for (std::int64_t divisor = std::min(value, most); divisor > 1; --divisor)
        if (value % divisor == 0) return divisor;
    return 1;
}

// Blocks side by side on the multiprocessors, by dimension: the fewest waves, on ties the widest inner dimensions.
class Beside {
   public:
    Beside(std::vector<std::int64_t> grid, std::int64_t places) : grid_(std::move(grid)) {
        tried_.assign(grid_.size(), 1);
        place(static_cast<int>(grid_.size()) - 1, places, 1);
    }
    const std::vector<std::int64_t>& spread() const { return best_; }

   private:
    void place(int at, std::int64_t places, std::int64_t waves) {
        if (fewest_ > 0 && waves >= fewest_) return;
        if (at < 0) {
            fewest_ = waves;
            best_ = tried_;
            return;
        }
        for (std::int64_t here = std::min(grid_[at], places); here >= 1; --here) {
            tried_[at] = here;
            place(at - 1, places / here, checked_mul(waves, ceil_div(grid_[at], here)));
            if (at == 0) return;  // the widest is the best of the last
        }
    }

    std::vector<std::int64_t> grid_;
    std::vector<std::int64_t> tried_;
    std::vector<std::int64_t> best_;
    std::int64_t fewest_ = 0;
};

// Spreading levels: over the multiprocessors, then (from there inwards) over the lanes.
std::optional<std::size_t> spreading(const Architecture& architecture, int from, int to) {
    for (int level = from; level < to; ++level)
        if (architecture.fanout(level).size() > 1) return static_cast<std::size_t>(level);
    return std::nullopt;
}

class Nest {
   public:
    Nest(const Einsum& einsum, const ImplicitProduct& product, const Extents& block, std::int64_t split,
         std::size_t levels)
        : einsum_(einsum), product_(product), block_(block), split_(split), levels_(levels) {}

    std::vector<MappingLevel>& levels() { return levels_; }

    // Waves and steps outside, blocks and parts side by side.
    void spread_blocks(std::size_t outer, std::int64_t multiprocessors) {
        std::vector<int> dimensions;
        std::vector<std::int64_t> grid;
        for (const Side side : {Side::batch, Side::rows, Side::columns})
            for (const int d : of(side)) {
                dimensions.push_back(d);
                grid.push_back(ceil_div(extent(d), block_[d]));
            }
        const Beside beside(grid, multiprocessors / split_);
        for (std::size_t i = 0; i < grid.size(); ++i)
            add(levels_[0].temporal, dimensions[i], ceil_div(grid[i], beside.spread()[i]), LoopKind::temporal);
        for (const int d : of(Side::depth))
            add(levels_[0].temporal, d, ceil_div(extent(d), block_[d] * parts(d)), LoopKind::temporal);
        if (split_ > 1) add(levels_[outer].spatial, product_.split_dimension, split_, LoopKind::spatial_x);
        for (std::size_t i = 0; i < grid.size(); ++i)
            add(levels_[outer].spatial, dimensions[i], beside.spread()[i], LoopKind::spatial_x);
    }

    // A block's rows and columns over the lanes, its depth step by step.
    void spread_lanes(std::size_t inside, std::size_t lanes, std::int64_t count) {
        const int columns = widest(Side::columns);
        const int rows = widest(Side::rows);
        const std::int64_t lane_columns =
            columns < 0 ? 1 : largest_divisor(block_[columns], std::min(kMostLaneColumns, count));
        const std::int64_t lane_rows = rows < 0 ? 1 : largest_divisor(block_[rows], count / lane_columns);
        for (const Side side : {Side::depth, Side::rows, Side::columns})
            for (const int d : of(side)) {
                const std::int64_t lane = d == columns ? lane_columns : d == rows ? lane_rows : 1;
                add(levels_[inside].temporal, d, block_[d] / lane, LoopKind::temporal);
            }
        if (rows >= 0) add(levels_[lanes].spatial, rows, lane_rows, LoopKind::spatial_x);
        if (columns >= 0) add(levels_[lanes].spatial, columns, lane_columns, LoopKind::spatial_x);
    }

   private:
    std::int64_t extent(int dimension) const { return einsum_.dimensions[dimension].extent; }
    std::int64_t parts(int dimension) const { return dimension == product_.split_dimension ? split_ : 1; }

    std::vector<int> of(Side side) const {
        std::vector<int> result;
        for (int d = 0; d < einsum_.dimension_count(); ++d)
            if (product_.sides[d] == side && extent(d) > 1) result.push_back(d);
        return result;
    }

    int widest(Side side) const {
        int best = -1;
        for (const int d : of(side))
            if (best < 0 || block_[d] > block_[best]) best = d;
        return best;
    }

    void add(std::vector<Loop>& loops, int dimension, std::int64_t count, LoopKind kind) const {
        if (count > 1) loops.push_back({dimension, count, count, kind});
    }

    const Einsum& einsum_;
    const ImplicitProduct& product_;
    const Extents& block_;
    std::int64_t split_;
    std::vector<MappingLevel> levels_;
};

// A block's operands in the multiprocessor's memory: shorter steps of the reduction where the image of its rows is
// wide.
Extents fitting_block(const BlockMapping& blocks, const ImplicitProduct& product, const Einsum& einsum,
                      const Memory& memory, TensorSet kept, std::int64_t depth_step) {
    for (std::int64_t depth = depth_step;; depth /= 2) {
        const Extents block = block_extents(product, einsum, blocks.tile, blocks.split, depth);
        std::int64_t words = 0;
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (kept.has(t)) words += box_words(einsum.tensors[t], block);
        const std::optional<std::int64_t> room = memory.usable_words();
        if (depth == 1 || !room || words <= *room) return block;
    }
}

}  // namespace

std::optional<Mapping> mapping_of(const BlockMapping& blocks, const Einsum& einsum, const Architecture& architecture,
                                  const std::vector<TensorSet>& keep, const KernelMachine& machine) {
    const auto found = implicit_product(einsum);
    const auto outer = spreading(architecture, 0, machine.unit_level);
    const auto lanes = spreading(architecture, machine.unit_level, architecture.memory_count());
    const auto* product = std::get_if<ImplicitProduct>(&found);
    if (product == nullptr || !outer || !lanes || !can_split(*product, einsum, blocks.split)) return std::nullopt;
    const auto unit = static_cast<std::size_t>(machine.unit_level);
    const Extents block =
        fitting_block(blocks, *product, einsum, architecture.memories[unit], keep[unit], machine.depth_step);
    Nest nest(einsum, *product, block, blocks.split, architecture.memories.size());
    for (std::size_t level = 0; level < keep.size(); ++level) nest.levels()[level].keep = keep[level];
    nest.spread_blocks(*outer, machine.multiprocessors);
    const std::size_t inside = *lanes > 0 && architecture.memories[*lanes].spreads_only ? *lanes - 1 : *lanes;
    nest.spread_lanes(inside, *lanes, architecture.fanout(static_cast<int>(*lanes)).size());
    Mapping mapping = tilewright::mapping_of(nest.levels());
    if (!restore_remainders(mapping, einsum)) return std::nullopt;
    return mapping;
}

std::variant<BlockMapping, std::string> blocks_of(const Einsum& einsum, const Architecture& architecture,
                                                  const Mapping& mapping, const KernelMachine& machine) {
    const auto found = implicit_product(einsum);
    if (const auto* refusal = std::get_if<std::string>(&found)) return *refusal;
    if (!is_even(mapping, architecture.memory_count())) return std::string("its mapping is uneven");
    const auto& product = std::get<ImplicitProduct>(found);
    const Extents held = store_extents(einsum, mapping)[machine.unit_level];
    BlockMapping blocks;
    for (int d = 0; d < einsum.dimension_count(); ++d) {
        if (product.sides[d] == Side::rows) blocks.tile.rows *= held[d];
        if (product.sides[d] == Side::columns) blocks.tile.columns *= held[d];
    }
    const std::vector<MappingLevel> levels = levels_of(mapping, architecture.memory_count());
    for (int level = 0; level < machine.unit_level; ++level)
        for (const Loop& loop : levels[level].spatial)
            if (product.sides[loop.dimension] == Side::depth) blocks.split *= loop.extent;
    blocks.blocks = checked_mul(checked_mul(blocks_of_one(product, einsum, held), product.batch.count), blocks.split);
    blocks.waves = ceil_div(blocks.blocks, machine.multiprocessors);
    return blocks;
}

}  // namespace tilewright::silicon
