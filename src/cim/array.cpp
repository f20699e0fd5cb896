#include "cim/array.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright::cim {
namespace {

std::int64_t slices_of(int bits, int per_slice) { return ceil_div(bits, std::min(bits, per_slice)); }

std::int64_t columns_of(const Array& array, const Slicing& slices, std::int64_t weights) {
    return array.weight_slices == Slices::parallel && array.slice_sum == SliceSum::digital ? weights * slices.weights
                                                                                           : weights;
}

/// Sums of tile sizes over one dimension cut into tiles: their number and the size of the last one.
struct Tiles {
    std::int64_t full = 0;
    std::int64_t size = 1;
    std::int64_t rest = 0;  ///< 0: none
    std::int64_t count() const { return full + (rest > 0 ? 1 : 0); }
};

Tiles tiles_of(std::int64_t extent, std::int64_t tile) {
    const std::int64_t size = std::min(extent, tile);
    return {extent / size, size, extent % size};
}

}  // namespace

std::string problem_with(const Array& array) {
    if (array.rows < 1 || array.columns < 1 || array.depth < 1) return "an array has rows, columns and cells";
    if (array.cell_bits < 1 || array.cells_per_place < 1 || array.input_bits_at_once < 1)
        return "a cell and a step hold at least one bit";
    if (array.cell_bits > 16 || array.cells_per_place > 64 || array.input_bits_at_once > 16)
        return "a cell and a step hold at most 16 bits, a place 64 cells";
    if (array.columns_per_converter < 1) return "a converter has at least one column";
    if (array.converter_bits < 0 || array.converter_bits > 32) return "a converter has up to 32 bits";
    if (array.slice_sum == SliceSum::analog && array.weight_slices == Slices::serial)
        return "slices that come one after the other are not summed before the converter";
    return "";
}

Slicing slicing_of(const Array& array, int input_bits, int weight_bits) {
    return {slices_of(input_bits, array.input_bits_at_once),
            slices_of(weight_bits, array.cell_bits * array.cells_per_place)};
}

std::int64_t weights_across(const Array& array, const Slicing& slices) {
    return array.weight_slices == Slices::parallel ? array.columns / slices.weights : array.columns;
}

ActionsPerWord actions_per_word(const Array& array, const Slicing& slices) {
    const auto inputs = static_cast<double>(slices.inputs);
    const auto weights = static_cast<double>(slices.weights);
    const double converted = array.slice_sum == SliceSum::digital ? weights : 1.0;
    return {.input_conversions = inputs,
            .row_drives = array.weight_slices == Slices::serial ? inputs * weights : inputs,
            .cell_reads = inputs * weights,
            .cells_programmed = weights,
            .column_settles = inputs * weights,
            .samples = inputs * converted,
            .conversions = array.accumulates_inputs ? converted : inputs * converted};
}

std::int64_t steps_per_operation(const Array& array, const Slicing& slices, std::int64_t columns_in_use) {
    const std::int64_t serial = array.weight_slices == Slices::serial ? slices.weights : 1;
    const std::int64_t scanned =
        array.scan == Scan::all ? array.columns_per_converter : std::min(array.columns_per_converter, columns_in_use);
    return array.accumulates_inputs ? (slices.inputs + scanned - 1) * serial : slices.inputs * serial * scanned;
}

std::int64_t Product::inputs_of(std::int64_t positions) const {
    if (positions < 1) return 0;
    return stride >= window ? checked_mul(positions, window) : checked_add(checked_mul(positions - 1, stride), window);
}

namespace {

void check_tiles(const Array& array, const Slicing& slices, const Product& product) {
    const bool one_position = array.across == Across::filters;
    const bool fits = product.k_tile >= 1 && product.n_tile >= 1 && product.m_tile >= 1 && product.window >= 1 &&
                      product.stride >= 1 && (product.m_tile == 1 || !one_position) &&
                      checked_mul(product.k_tile, product.inputs_of(product.m_tile)) <= array.rows &&
                      checked_mul(product.n_tile, product.m_tile) <= weights_across(array, slices);
    if (!fits) throw std::invalid_argument("a tile does not fit the array");
}

/// Of all pairs of a tile of n and one of m.
std::int64_t steps_of(const Array& array, const Slicing& slices, const Tiles& n, const Tiles& m) {
    std::int64_t all = 0;
    for (const auto& [n_count, n_size] : {std::pair{n.full, n.size}, {n.rest > 0 ? 1 : 0, n.rest}})
        for (const auto& [m_count, m_size] : {std::pair{m.full, m.size}, {m.rest > 0 ? 1 : 0, m.rest}}) {
            const std::int64_t columns = columns_of(array, slices, checked_mul(n_size, m_size));
            all = checked_add(all, checked_mul(checked_mul(n_count, m_count),
                                               steps_per_operation(array, slices, std::max<std::int64_t>(1, columns))));
        }
    return all;
}

}  // namespace

ArrayCounts counts_of(const Array& array, const Slicing& slices, const Product& product) {
    check_tiles(array, slices, product);
    const Tiles k = tiles_of(product.k, product.k_tile);
    const Tiles n = tiles_of(product.n, product.n_tile);
    const Tiles m = tiles_of(product.m, product.m_tile);
    const ActionsPerWord per_word = actions_per_word(array, slices);
    const auto times = [](double factor, std::int64_t words) {
        return checked_mul(static_cast<std::int64_t>(factor), words);
    };
    const std::int64_t of_a_channel =
        checked_add(checked_mul(m.full, product.inputs_of(m.size)), product.inputs_of(m.rest));
    const std::int64_t inputs = checked_mul(checked_mul(of_a_channel, product.k), n.count());
    const std::int64_t results = checked_mul(product.m, product.n);
    const std::int64_t sums = checked_mul(results, k.count());
    const std::int64_t weights = checked_mul(checked_mul(product.k, product.window), product.n);
    ArrayCounts counts;
    counts.cells_programmed = times(per_word.cells_programmed, checked_mul(weights, m.size));
    counts.rows_programmed = array.across == Across::positions
                                 ? checked_mul(checked_mul(array.rows, n.count()), k.count())
                                 : checked_mul(checked_mul(product.k, product.window), n.count());
    counts.input_conversions = times(per_word.input_conversions, inputs);
    counts.row_drives = times(per_word.row_drives, inputs);
    counts.cell_reads = times(per_word.cell_reads, checked_mul(weights, product.m));
    counts.column_settles = times(per_word.column_settles, sums);
    counts.samples = times(per_word.samples, sums);
    counts.conversions = times(per_word.conversions, sums);
    counts.sums_written = sums;
    counts.sums_read_back = checked_mul(results, k.count() - 1);
    counts.steps = checked_mul(steps_of(array, slices, n, m), k.count());
    return counts;
}

int lossless_converter_bits(const Array& array) {
    const std::int64_t input = (std::int64_t{1} << array.input_bits_at_once) - 1;
    const int cell_bits = std::min(30, array.cell_bits * array.cells_per_place);
    const std::int64_t weight = (std::int64_t{1} << cell_bits) - 1;
    const std::int64_t most = checked_mul(checked_mul(array.rows, input), weight);
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most)));
}

}  // namespace tilewright::cim
