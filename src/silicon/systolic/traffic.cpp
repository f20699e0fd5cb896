#include "silicon/systolic/traffic.hpp"

#include <algorithm>

#include "silicon/systolic/cache.hpp"
#include "silicon/systolic/demand.hpp"

namespace tilewright::silicon {
namespace {

struct Requests {
    double inputs = 0.0;
    double weights = 0.0;
    double writes = 0.0;
};

Requests total(const std::vector<TileDemand>& tiles) {
    Requests sum;
    for (const TileDemand& tile : tiles) {
        sum.inputs += tile.count * tile.input_requests;
        sum.weights += tile.count * tile.weight_requests;
        sum.writes += tile.count * tile.writes;
    }
    return sum;
}

// A line of results is visited once per pixel and tile of output channels: writes into one line are consecutive.
double line_visits(double writes, const TiledLayer& layer, const SystolicMachine& machine) {
    const std::int64_t line = machine.dma.request_bytes;
    const std::int64_t write = machine.dma.store_bytes;
    const std::int64_t row = layer.whole[Axis::k] * machine.word_bytes;
    const std::int64_t tile = layer.tile[Axis::k] * machine.word_bytes;
    if (row < write) return writes * static_cast<double>(row) / static_cast<double>(line);
    if (layer.is_product && tile >= line) return writes;
    return writes * static_cast<double>(write) / static_cast<double>(std::max(write, std::min(line, tile)));
}

// A cache passes on at most its input.
void add_share(double misses, double most, double requests, std::vector<double>& shares) {
    const double share = std::min(misses, most) / std::max(1.0, requests);
    shares.push_back(shares.empty() ? share : std::min(shares.back(), share));
}

}  // namespace

Traffic traffic_of(const TiledLayer& layer, const SystolicMachine& machine) {
    Traffic traffic;
    traffic.tiles = demands_of(layer, machine);
    const double per_input = requests_per_piece(layer.whole[Axis::c] * machine.word_bytes, machine.dma.request_bytes);
    const double per_weight = requests_per_piece(layer.whole[Axis::k] * machine.word_bytes, machine.dma.request_bytes);
    for (TileDemand& tile : traffic.tiles) {
        tile.input_requests *= per_input;
        tile.weight_requests *= per_weight;
        traffic.tile_count += tile.count;
    }
    const Requests all = total(traffic.tiles);
    const double visits = line_visits(all.writes, layer, machine);
    for (const Cache& cache : machine.caches) {
        const LineCounts missed = cache_misses(layer, machine, cache);
        add_share(missed.inputs, std::max(1.0, all.inputs), all.inputs, traffic.misses.inputs);
        add_share(missed.weights, std::max(1.0, all.weights), all.weights, traffic.misses.weights);
        add_share(missed.outputs, visits, all.writes, traffic.misses.outputs);
    }
    return traffic;
}

}  // namespace tilewright::silicon
