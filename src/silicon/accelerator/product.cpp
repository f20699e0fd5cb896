#include "silicon/accelerator/product.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "silicon/kernels/machine.hpp"

namespace tilewright::silicon {
namespace {

constexpr double kStepDepth = 64.0;
constexpr double kLeastSplitDepth = 256.0;
constexpr double kMostResults = 32768.0;
constexpr double kResultBytes = 2.0;
constexpr double kPartialBytes = 8.0;  // of 32 bits, written and read
constexpr std::array<std::int64_t, 5> kSplits{1, 2, 4, 8, 16};

double below(double size, double full, double exponent) { return size < full ? std::pow(size / full, exponent) : 1.0; }

// Bytes of one product, and what of them memory moves.
struct ProductTraffic {
    double memory_bytes = 0.0;   ///< without partial sums
    double partial_bytes = 0.0;  ///< of one part of a split
};

// Share of the weights that the copies passed since leave in the cache.
double cached_share(const Accelerator& machine, double weights, double rest, double copies) {
    const ProductForm& form = machine.form.product;
    const double room = form.kept_share * machine.sheet.cache_bytes;
    const double passed = copies * weights + rest;
    return passed < room ? 1.0 : form.stay_share * std::pow(std::min(1.0, room / passed), form.fade);
}

ProductTraffic traffic_of(const Accelerator& machine, const ProductWork& work) {
    const PrecisionWidth width = width_of(work.precision);
    const auto& [m, n, k] = work.size;
    const double weights = width.weight_bytes * k * n * work.count;
    const double inputs = width.input_bytes * (work.input_words > 0.0 ? work.input_words : m * k) * work.count;
    const double results = kResultBytes * m * n * work.count;
    const double copies = work.copies > 0.0 ? work.copies : width.copies;
    const double cached = cached_share(machine, weights, inputs + results, copies);
    return {weights * (1.0 - cached) + inputs * machine.form.product.input_factor + results,
            machine.form.product.partial_factor * kPartialBytes * m * n * work.count};
}

// Of a tile and a depth; `blocks` side by side.
struct Block {
    double us = 0.0;
    bool inlet_binds = false;
};

Block block_of(const Accelerator& machine, const ProductWork& work, const ProductKernel& kernel, double depth,
               double blocks, double efficiency) {
    const DataSheet& sheet = machine.sheet;
    const ProductForm& form = machine.form.product;
    const PrecisionWidth width = width_of(work.precision);
    const auto rows = static_cast<double>(kernel.rows);
    const auto columns = static_cast<double>(kernel.columns);
    const double rate = sheet.operations_per_us * rate_factor(sheet, work.precision) * work.rate_share *
                        machine.calibrated.rate_share / sheet.multiprocessors;
    const double inlet = form.inlet_bytes_per_cycle * sheet.clock_per_us;
    const double cache = form.cache_bytes_per_cycle * sheet.clock_per_us * sheet.multiprocessors;
    const double compute = 2.0 * rows * columns * depth / (rate * efficiency);
    const double operands =
        depth * (width.input_bytes * std::min(rows, work.size.m) + width.weight_bytes * std::min(columns, work.size.n));
    const double fetched = operands * std::min(blocks, sheet.multiprocessors) * form.fetched_share / cache;
    const double feed = std::max(operands / inlet, fetched);
    const double steps = depth / kStepDepth * form.step_cycles / sheet.clock_per_us;
    return {std::max({compute, feed, steps}) + form.tile_cycles / sheet.clock_per_us +
                form.result_factor * rows * columns * kResultBytes / inlet,
            feed > std::max(compute, steps)};
}

ProductTime time_of(const Accelerator& machine, const ProductWork& work, const ProductKernel& kernel, double grid,
                    const ProductTraffic& traffic, double efficiency) {
    const auto split = static_cast<double>(kernel.split);
    const bool is_split = kernel.split > 1;
    const double blocks = grid * work.count * split;
    const double depth = std::ceil(work.size.k / (split * kStepDepth)) * kStepDepth;
    const Block block = block_of(machine, work, kernel, depth, blocks, efficiency);
    ProductTime time;
    time.kernel = kernel;
    time.waves = std::ceil(blocks / machine.sheet.multiprocessors);
    time.inlet_binds = block.inlet_binds;
    time.block_us = time.waves * block.us;
    time.memory_us =
        (traffic.memory_bytes + (is_split ? traffic.partial_bytes * split : 0.0)) / machine.reached_bytes_per_us();
    time.launch_us = machine.calibrated.launch_us * (is_split ? 1.0 + machine.form.product.second_launch : 1.0);
    time.us = time.launch_us +
              std::max(time.block_us, time.memory_us);  // a lower bound; overlap is added by those who need it
    return time;
}

// At the power limit the clock falls, and power with its cube (the voltage falls, too); for the first moments of a
// kernel the regulation does not act.
double at_power_limit(const Accelerator& machine, const ProductWork& work, double memory_us, double us) {
    const double free_us = machine.form.product.unregulated_us;
    const bool is_measured_so = work.by_itself && work.precision == Precision::bfloat16;
    if (!is_measured_so || free_us <= 0.0 || us <= free_us || !machine.power || machine.sheet.power_watts <= 0.0)
        return us;
    const double operations = 2.0 * work.size.m * work.size.n * work.size.k * work.count;
    const double demanded =
        dynamic_watts(machine, work.precision, operations, memory_us * machine.reached_bytes_per_us(), us);
    const double slowed = std::max(1.0, std::cbrt(demanded / available_watts(machine)));
    return free_us + (us - free_us) * slowed;
}

void add_overlap(const Accelerator& machine, const ProductWork& work, ProductTime& time) {
    const double us = overlapped(time.block_us, time.memory_us, machine.form.product.overlap);
    const double limited = at_power_limit(machine, work, time.memory_us, us);
    if (us > 0.0) time.block_us *= limited / us;
    time.us = time.launch_us + limited;
}

double efficiency_of(const ProductForm& form, const ProductKernel& kernel) {
    return below(static_cast<double>(kernel.rows), form.full_rows, form.rows_exponent) *
           below(static_cast<double>(kernel.columns), form.full_columns, form.columns_exponent);
}

double grid_of(const ProductWork& work, const ProductKernel& kernel) {
    return std::ceil(work.size.m / static_cast<double>(kernel.rows)) *
           std::ceil(work.size.n / static_cast<double>(kernel.columns));
}

std::vector<ProductKernel> all_tiles() {
    std::vector<ProductKernel> tiles;
    for (const std::int64_t rows : {16, 32, 64, 128, 256})
        for (const std::int64_t columns : {32, 64, 96, 128, 160, 192, 224, 256})
            if (static_cast<double>(rows * columns) <= kMostResults) tiles.push_back({rows, columns, 1});
    return tiles;
}

bool is_half_padding(const ProductKernel& tile, const ProductSize& size) {
    const auto rows = static_cast<double>(tile.rows);
    const auto columns = static_cast<double>(tile.columns);
    return (rows >= 2.0 * size.m && tile.rows > 16) || (columns >= 2.0 * size.n && tile.columns > 32);
}

}  // namespace

const std::vector<ProductKernel>& product_tiles() {
    static const std::vector<ProductKernel> kTiles = all_tiles();
    return kTiles;
}

std::vector<ProductKernel> product_kernels(const DataSheet& sheet, const ProductWork& work) {
    std::vector<ProductKernel> kernels;
    for (const ProductKernel& tile : product_tiles()) {
        if (is_half_padding(tile, work.size)) continue;
        const double grid = grid_of(work, tile) * work.count;
        for (const std::int64_t split : kSplits) {
            const bool is_useful =
                grid < sheet.multiprocessors && work.size.k >= kLeastSplitDepth * static_cast<double>(split);
            if (split > 1 && !is_useful) break;
            kernels.push_back({tile.rows, tile.columns, split});
        }
    }
    return kernels;
}

ProductTime product_time(const Accelerator& machine, const ProductWork& work, const ProductKernel& kernel,
                         double grid) {
    ProductTime time = time_of(machine, work, kernel, grid > 0.0 ? grid : grid_of(work, kernel),
                               traffic_of(machine, work), efficiency_of(machine.form.product, kernel));
    add_overlap(machine, work, time);
    return time;
}

ProductTime best_product(const Accelerator& machine, const ProductWork& work) {
    const ProductTraffic traffic = traffic_of(machine, work);
    ProductTime best;
    best.us = std::numeric_limits<double>::infinity();
    for (const ProductKernel& kernel : product_kernels(machine.sheet, work)) {
        ProductTime time =
            time_of(machine, work, kernel, grid_of(work, kernel), traffic, efficiency_of(machine.form.product, kernel));
        if (time.us >= best.us) continue;
        add_overlap(machine, work, time);
        if (time.us < best.us) best = time;
    }
    return best;
}

double product_us(const Accelerator& machine, Precision precision, const ProductSize& size, double copies,
                  double rate_share) {
    return best_product(machine, {size, precision, 1.0, copies, rate_share, 0.0}).us;
}

namespace {

double narrowing_passes_us(const Accelerator& machine, Precision precision, const ProductSize& size) {
    constexpr double kActivationBytes = 2.0;
    return size.m * size.k * (kActivationBytes + width_of(precision).input_bytes) / machine.reached_bytes_per_us();
}

}  // namespace

double layer_us(const Accelerator& machine, Precision precision, const ProductSize& size) {
    const auto found = machine.form.narrowing.find(precision);
    if (found == machine.form.narrowing.end()) return product_us(machine, precision, size);
    const Narrowing& narrow = found->second;
    return product_us(machine, precision, size, 0.0, narrow.rate_share) + narrow.fix_us +
           narrow.passes * narrowing_passes_us(machine, precision, size) +
           narrow.row_us * std::ceil(size.m / machine.sheet.multiprocessors);
}

double served_product_us(const Accelerator& machine, Precision precision, const ProductSize& size) {
    constexpr double kLaunches = 0.5;  // of the kernel before, which narrows, too
    constexpr double kPasses = 0.5;
    const auto found = machine.form.narrowing.find(precision);
    const double share = found == machine.form.narrowing.end() ? 1.0 : found->second.rate_share;
    constexpr double kNeverCached = std::numeric_limits<double>::infinity();
    const double us = best_product(machine, {size, precision, 1.0, kNeverCached, share, 0.0, false}).us;
    if (precision == Precision::bfloat16) return us;
    return us + kLaunches * machine.calibrated.launch_us + kPasses * narrowing_passes_us(machine, precision, size);
}

}  // namespace tilewright::silicon
