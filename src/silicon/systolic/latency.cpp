#include "silicon/systolic/latency.hpp"

#include <algorithm>
#include <array>

namespace tilewright::silicon {
namespace {

// Of one weight block: computations are back to back, one of them carrying the preload of the next weights. The other
// limit: each keeps its place until its results are written.
double block_cycles(const TileDemand& tile, const SystolicArray& array) {
    double streamed = 0.0;
    double held = 0.0;
    for (const Pieces& piece : tile.pieces) {
        const auto rows = static_cast<double>(std::max(piece.rows, array.least_rows));
        streamed += piece.count * rows;
        held += piece.count * (array.latency_cycles + array.held_per_row * rows);
    }
    const auto first = static_cast<double>(std::max(tile.pieces[tile.starts_whole ? 0 : 1].rows, array.least_rows));
    const double preload = array.preload_behind ? std::max(array.preload_cycles, first) - first : array.preload_cycles;
    return std::max(streamed + preload, held / static_cast<double>(array.in_flight));
}

double read_cycles(double requests, const std::vector<double>& missed, const SystolicMachine& machine) {
    double each = machine.dma.request_cycles;
    for (std::size_t i = 0; i < missed.size(); ++i) each += missed[i] * machine.caches[i].read_miss_cycles;
    return requests * each;
}

double write_cycles(double writes, const std::vector<double>& missed, const SystolicMachine& machine) {
    double each = machine.dma.request_cycles;
    for (std::size_t i = 0; i < missed.size(); ++i) each += missed[i] * machine.caches[i].write_miss_cycles;
    return writes * each;
}

constexpr std::array kBounds{"load", "compute", "store", "tiles in flight"};

}  // namespace

Stages stages_of(const TileDemand& tile, const Misses& misses, const SystolicMachine& machine) {
    Stages stages;
    stages.load = read_cycles(tile.input_requests, misses.inputs, machine) +
                  read_cycles(tile.weight_requests, misses.weights, machine) + tile.zero_rows;
    stages.compute = tile.weight_blocks * block_cycles(tile, machine.array);
    stages.store = write_cycles(tile.writes, misses.outputs, machine);
    return stages;
}

SystolicLatency systolic_latency(const Traffic& traffic, const SystolicMachine& machine) {
    SystolicLatency result;
    result.tiles = traffic.tile_count;
    result.start = machine.start_cycles;
    std::array<double, kBounds.size()> by_bound{};
    double steady = 0.0;
    double left = 0.0;
    for (const TileDemand& tile : traffic.tiles) {
        const Stages one = stages_of(tile, traffic.misses, machine);
        const std::array times{one.load, one.compute, one.store,
                               one.sum() / static_cast<double>(machine.tiles_in_flight)};
        const auto* const longest = std::ranges::max_element(times);
        by_bound[longest - times.begin()] += tile.count * *longest;
        steady += tile.count * *longest;
        left += tile.count * (one.sum() - *longest);
        const double share = tile.count / traffic.tile_count;
        result.mean.load += share * one.load;
        result.mean.compute += share * one.compute;
        result.mean.store += share * one.store;
    }
    result.fill_drain = left / traffic.tile_count;
    result.cycles = steady + result.fill_drain + result.start;
    const auto* const bound = std::ranges::max_element(by_bound);
    result.bound = kBounds[bound - by_bound.begin()];
    return result;
}

SystolicLatency systolic_latency(const TiledLayer& layer, const SystolicMachine& machine) {
    return systolic_latency(traffic_of(layer, machine), machine);
}

}  // namespace tilewright::silicon
