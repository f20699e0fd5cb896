// Cycles of a tiled layer on a systolic machine: each tile is loaded, computed and stored, and `tiles_in_flight` of
// them are under way at the same time.
//
//     const SystolicLatency latency = systolic_latency(layer, machine);   // latency.cycles, latency.bound
//
// With load, compute and store taking l, x and s, and t tiles in flight, the steady time of a tile is
// max(l, x, s, (l + x + s) / t): every stage works on one tile at a time, and no tile is longer under way than the
// others let it. What is left of the first and last tile is added once, and the start of the layer.
//
// Pure functions; thread-safe.
#pragma once

#include <string>

#include "silicon/systolic/traffic.hpp"

namespace tilewright::silicon {

/// Cycles of one tile.
struct Stages {
    double load = 0.0;
    double compute = 0.0;
    double store = 0.0;

    double sum() const { return load + compute + store; }
};

struct SystolicLatency {
    double cycles = 0.0;
    double tiles = 0.0;
    Stages mean;              ///< of a tile
    double start = 0.0;       ///< of the layer
    double fill_drain = 0.0;  ///< of the first and the last tile, which nothing overlaps
    std::string bound;        ///< "load", "compute", "store" or "tiles in flight": what takes most of the time
};

Stages stages_of(const TileDemand& tile, const Misses& misses, const SystolicMachine& machine);

/// The sum over what traffic_of() found; the machine may have other cycles than it had there, not other sizes.
SystolicLatency systolic_latency(const Traffic& traffic, const SystolicMachine& machine);
SystolicLatency systolic_latency(const TiledLayer& layer, const SystolicMachine& machine);

}  // namespace tilewright::silicon
