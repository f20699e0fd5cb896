#include "silicon/systolic/latency.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include "silicon/systolic/traffic.hpp"

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

namespace {

// Free times of the engines and of the places of tiles in flight.
class Engines {
   public:
    explicit Engines(std::int64_t places) : places_(static_cast<std::size_t>(places)) {}

    void take(const Stages& tile, Replayed& sum) {
        if (stored_.size() == places_) {
            loaded_ = std::max(loaded_, stored_.front());
            stored_.pop_front();
        }
        loaded_ += tile.load;
        computed_ = std::max(computed_, loaded_) + tile.compute;
        last_store_ = std::max(last_store_, computed_) + tile.store;
        stored_.push_back(last_store_);
        sum.load_busy += tile.load;
        sum.compute_busy += tile.compute;
        sum.store_busy += tile.store;
        ++sum.tiles;
    }

    double end() const { return last_store_; }

   private:
    std::size_t places_;
    double loaded_ = 0.0;
    double computed_ = 0.0;
    double last_store_ = 0.0;
    std::deque<double> stored_;  ///< of the tiles in flight
};

}  // namespace

Replayed replay(const TiledLayer& layer, const SystolicMachine& machine, const StopSource* stop) {
    const Traffic traffic = traffic_of(layer, machine);
    const double per_input = requests_per_piece(layer.whole[Axis::c] * machine.word_bytes, machine.dma.request_bytes);
    const double per_weight = requests_per_piece(layer.whole[Axis::k] * machine.word_bytes, machine.dma.request_bytes);
    Engines engines(machine.tiles_in_flight);
    Replayed result;
    for_each_tile(layer, machine, [&](TileDemand tile) {
        throw_if_stopped(stop);
        tile.input_requests *= per_input;
        tile.weight_requests *= per_weight;
        engines.take(stages_of(tile, traffic.misses, machine), result);
    });
    result.cycles = machine.start_cycles + engines.end();
    return result;
}

}  // namespace tilewright::silicon
