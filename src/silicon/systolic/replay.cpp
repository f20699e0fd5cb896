#include "silicon/systolic/replay.hpp"

#include <algorithm>
#include <deque>

#include "silicon/systolic/demand.hpp"

namespace tilewright::silicon {
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
