#include "silicon/kernels/product.hpp"

#include <algorithm>
#include <variant>

#include "base/numbers/checked.hpp"
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

}  // namespace tilewright::silicon
