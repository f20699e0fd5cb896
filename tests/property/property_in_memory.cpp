// The exact model on machines with an array computing in memory (cim/machine.hpp), held to a walk over every operation,
// programmed cell, conversion and partial sum of a matrix product (tests/fixtures/array_walk.hpp): slices as factors on
// prices, and as two more dimensions of the layer.
//
//     property_in_memory [--arrays 2000] [--seed 1]
#include <cmath>
#include <cstdio>
#include <string>

#include "cim/machine.hpp"
#include "fixtures/array_walk.hpp"
#include "harness.hpp"
#include "mapping/mapping.hpp"
#include "model/exact/model.hpp"

namespace tilewright::property {
namespace {

using cim::RandomArray;
using cim::SlicesAs;

struct Seen {
    std::uint64_t remainders = 0;
    std::uint64_t single_vectors = 0;
    std::uint64_t as_dimensions = 0;
    std::uint64_t shared_windows = 0;
};

/// Sums of a few of these numbers times small counts are told apart.
cim::ArrayPrices prices() {
    cim::ArrayPrices prices;
    prices.input_conversion_pj.value = 1.0;
    prices.row_drive_pj.value = 101.0;
    prices.cell_read_pj.value = 1009.0;
    prices.column_settle_pj.value = 0.5;
    prices.sample_pj.value = 31.0;
    prices.conversion_pj.value = 10007.0;
    prices.shift_add_pj.value = 0.125;
    prices.program_pj.value = 100003.0;
    prices.program_seconds = 7 * prices.step_seconds;
    return prices;
}

double energy_of(const cim::ArrayCounts& counts) {
    const cim::ArrayPrices each = prices();
    const auto n = [](std::int64_t count) { return static_cast<double>(count); };
    return n(counts.input_conversions) * each.input_conversion_pj.value +
           n(counts.row_drives) * each.row_drive_pj.value + n(counts.cell_reads) * each.cell_read_pj.value +
           n(counts.column_settles) * each.column_settle_pj.value + n(counts.samples) * each.sample_pj.value +
           n(counts.conversions) * (each.conversion_pj.value + each.shift_add_pj.value) +
           n(counts.cells_programmed) * each.program_pj.value;
}

Einsum product_of(const cim::Product& product) {
    return {"product",
            {{"m", product.m}, {"k", product.k}, {"n", product.n}, {"s", product.window}},
            {{"Inputs", {{{{1, 1}}}, {{{0, product.stride}, {3, 1}}}}, false, 0},
             {"Weights", {{{{1, 1}}}, {{{2, 1}}}, {{{3, 1}}}}, false, 0},
             {"Outputs", {{{{0, 1}}}, {{{2, 1}}}}, true, 0}}};
}

Loop loop(int dimension, std::int64_t extent, LoopKind kind = LoopKind::temporal) {
    return {dimension, extent, extent, kind};
}

/// Levels of the array: its columns, and the rows below them or beside them.
void spread_over_array(const RandomArray& one, const cim::Product& tile, SlicesAs form,
                       std::vector<MappingLevel>& levels) {
    const bool shares_rows = one.array.across == cim::Across::positions;
    if (shares_rows) levels.emplace_back().keep.add(0);  // the latch
    MappingLevel columns;
    columns.spatial = {loop(0, tile.m_tile, LoopKind::spatial_x), loop(2, tile.n_tile, LoopKind::spatial_x)};
    if (form == SlicesAs::dimensions) columns.spatial.push_back(loop(5, one.slices.weights, LoopKind::spatial_x));
    MappingLevel cells;
    cells.keep.add(1);
    for (const Loop& row : {loop(1, tile.k_tile, LoopKind::spatial_y), loop(3, tile.window, LoopKind::spatial_y)})
        (shares_rows ? columns : cells).spatial.push_back(row);
    levels.push_back(std::move(columns));
    levels.push_back(std::move(cells));
}

/// Tiles of n outside those of k, vectors inside, slices of inputs innermost.
Mapping mapping_of(const RandomArray& one, const Einsum& einsum, SlicesAs form) {
    cim::Product tile = one.product;
    tile.k_tile = std::min(tile.k, tile.k_tile);
    tile.n_tile = std::min(tile.n, tile.n_tile);
    tile.m_tile = std::min(tile.m, tile.m_tile);
    const auto tiles = [](std::int64_t extent, std::int64_t of) { return (extent + of - 1) / of; };
    std::vector<MappingLevel> levels(1);
    levels[0].keep = TensorSet::all(3);
    levels[0].temporal = {loop(2, tiles(tile.n, tile.n_tile)), loop(1, tiles(tile.k, tile.k_tile)),
                          loop(0, tiles(tile.m, tile.m_tile))};
    if (form == SlicesAs::dimensions) levels[0].temporal.push_back(loop(4, one.slices.inputs));
    spread_over_array(one, tile, form, levels);
    Mapping mapping = tilewright::mapping_of(levels);
    restore_remainders(mapping, einsum);
    return mapping;
}

/// Rows are written one after the other, and the array waits; of columns in use, or of places where the array is
/// written whole, the average counts (rule 9).
double expected_cycles(const RandomArray& one, const cim::ArrayCounts& walk, double cycle_seconds) {
    const cim::Product& product = one.product;
    const std::int64_t across = std::min(product.n, product.n_tile);
    const std::int64_t down = std::min(product.k, product.k_tile);
    const bool shares_rows = one.array.across == cim::Across::positions;
    auto rows = static_cast<double>(walk.rows_programmed);
    if (shares_rows)
        rows = std::ceil(static_cast<double>(product.k * product.n) / static_cast<double>(down * across)) *
               static_cast<double>(one.array.rows);
    else if (product.n % across != 0)
        rows = std::ceil(static_cast<double>(product.k * product.n) / static_cast<double>(across));
    const double seconds = static_cast<double>(walk.steps) * prices().step_seconds + rows * prices().program_seconds;
    return std::ceil(seconds / cycle_seconds * (1.0 - 1e-9));
}

std::string differences(const RandomArray& one, const cim::ArrayCounts& walk, SlicesAs form) {
    Architecture outside;
    Memory buffer;
    buffer.name = "buffer";
    outside.memories.push_back(buffer);
    const Architecture machine = with_array(outside, one.array, one.slices, prices(), form);
    Einsum einsum = product_of(one.product);
    if (form == SlicesAs::dimensions) einsum = cim::sliced(einsum, one.slices);
    const Evaluation evaluation = evaluate(einsum, machine, mapping_of(one, einsum, form));
    const char* name = form == SlicesAs::dimensions ? "as dimensions: " : "as factors: ";
    std::string text;
    const auto compare = [&](const char* what, double model, double walked) {
        if (std::abs(model - walked) > 1e-9 * std::abs(walked))
            text += std::string(name) + what + ": model " + std::to_string(model) + ", walk " + std::to_string(walked) +
                    "\n";
    };
    compare("energy", evaluation.energy_pj, energy_of(walk));
    if (form == SlicesAs::factors) {
        const TensorTraffic& sums = evaluation.memories[0].tensors[2];
        compare("sums written", sums.updates, static_cast<double>(walk.sums_written));
        compare("sums read back", sums.reads, static_cast<double>(walk.sums_read_back));
    }
    if (one.array.scan == cim::Scan::all)
        compare("cycles", static_cast<double>(evaluation.cycles), expected_cycles(one, walk, machine.cycle_seconds));
    return text;
}

int check(const Cases& cases, std::uint64_t number, Seen& seen) {
    Random random(Random::split(cases.seed, number));
    const RandomArray one = cim::random_array(random);
    const cim::ArrayCounts walk = cim::walked(one.array, one.slices, one.product);
    std::string text = differences(one, walk, SlicesAs::factors);
    seen.remainders += one.product.k % one.product.k_tile != 0 || one.product.n % one.product.n_tile != 0 ? 1 : 0;
    seen.shared_windows += one.product.m_tile > 1 && one.product.stride < one.product.window ? 1 : 0;
    seen.single_vectors += one.product.m == 1 ? 1 : 0;
    if (one.array.weight_slices == cim::Slices::parallel && one.array.slice_sum == cim::SliceSum::digital &&
        !one.array.accumulates_inputs && one.array.across == cim::Across::filters) {
        ++seen.as_dimensions;
        text += differences(one, walk, SlicesAs::dimensions);
    }
    if (walk != counts_of(one.array, one.slices, one.product)) text += "closed forms differ from the walk\n";
    if (text.empty()) return 0;
    std::printf(
        "--- array %llu of seed %llu: %lld x %lld, slices %lld and %lld, k %lld by %lld, n %lld by %lld, m %lld by "
        "%lld, window %lld, stride %lld\n%s",
        static_cast<unsigned long long>(number), static_cast<unsigned long long>(cases.seed),
        static_cast<long long>(one.array.rows), static_cast<long long>(one.array.columns),
        static_cast<long long>(one.slices.inputs), static_cast<long long>(one.slices.weights),
        static_cast<long long>(one.product.k), static_cast<long long>(one.product.k_tile),
        static_cast<long long>(one.product.n), static_cast<long long>(one.product.n_tile),
        static_cast<long long>(one.product.m), static_cast<long long>(one.product.m_tile),
        static_cast<long long>(one.product.window), static_cast<long long>(one.product.stride), text.c_str());
    return 1;
}

}  // namespace
}  // namespace tilewright::property

int main(int argc, char** argv) {
    using namespace tilewright::property;
    Seen seen;
    Harness harness("property_in_memory", "Arrays computing in memory, against a walk over every operation",
                    {.kind = "arrays", .count = 2000, .operations = 0});
    harness.least("remainders", "arrays with a tile that does not divide", &seen.remainders);
    harness.least("single-vectors", "arrays with one input vector", &seen.single_vectors);
    harness.least("shared-windows", "arrays with positions whose windows overlap", &seen.shared_windows);
    harness.least("as-dimensions", "arrays whose slices were dimensions, too", &seen.as_dimensions);
    if (const std::optional<int> status = harness.parse(argc, argv)) return *status;
    return harness.run(
        [&](std::uint64_t number) { return check(harness.cases(), number, seen); },
        [&] {
            std::printf(
                "%llu arrays with remainders, %llu with one vector, %llu with shared rows, %llu sliced as dimensions: "
                "the model's energy, time and partial sums are the walk's\n",
                static_cast<unsigned long long>(seen.remainders), static_cast<unsigned long long>(seen.single_vectors),
                static_cast<unsigned long long>(seen.shared_windows),
                static_cast<unsigned long long>(seen.as_dimensions));
        });
}
