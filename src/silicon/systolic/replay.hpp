// Tile-by-tile replay of a tiled layer: engines for load, compute and store, each one tile at a time, and room for
// `tiles_in_flight` tiles from the start of a load to the end of the store.
//
// A tile's time at an engine is latency.hpp's; its start follows from earlier tiles. Judges the closed form, which
// knows only tile kinds and counts.
//
// Pure function; thread-safe. Linear in the number of tiles.
#pragma once

#include "base/stop.hpp"
#include "silicon/systolic/latency.hpp"

namespace tilewright::silicon {

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
