// Cycles of a tiled layer on a systolic machine: each tile is loaded, computed and stored, with `tiles_in_flight` of
// them in flight.
//
//     const SystolicLatency latency = systolic_latency(layer, machine);   // latency.cycles, latency.bound
//
// With load, compute and store times l, x and s, and t tiles in flight, a tile's steady time is max(l, x, s, (l + x +
// s) / t): every stage works on one tile at a time, and t tiles share the total. The exposed part of the first and last
// tile is added once, and the layer's start.
//
// Pure functions; thread-safe.
#pragma once

#include <string>

#include "base/stop.hpp"
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
    double fill_drain = 0.0;  ///< of the first and the last tile, without overlap
    std::string bound;        ///< "load", "compute", "store" or "tiles in flight": the largest
};

Stages stages_of(const TileDemand& tile, const Misses& misses, const SystolicMachine& machine);

/// Sum over traffic_of(); the machine may differ in cycles, not in sizes.
SystolicLatency systolic_latency(const Traffic& traffic, const SystolicMachine& machine);
SystolicLatency systolic_latency(const TiledLayer& layer, const SystolicMachine& machine);

// Tile-by-tile replay of a tiled layer: engines for load, compute and store, each one tile at a time, and room for
// `tiles_in_flight` tiles from the start of a load to the end of the store.
//
// A tile's time at an engine is latency.hpp's; its start follows from earlier tiles. Judges the closed form, which
// knows only tile kinds and counts.
//
// Pure function; thread-safe. Linear in the number of tiles.

struct Replayed {
    double cycles = 0.0;
    double tiles = 0.0;
    double load_busy = 0.0;  ///< busy cycles of the engine, likewise the others
    double compute_busy = 0.0;
    double store_busy = 0.0;
};

/// Throws Stopped once `stop` is requested.
Replayed replay(const TiledLayer& layer, const SystolicMachine& machine, const StopSource* stop = nullptr);

}  // namespace tilewright::silicon
