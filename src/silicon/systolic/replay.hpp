// A tiled layer replayed tile by tile: three engines that load, compute and store, each one tile at a time, and room
// for `tiles_in_flight` tiles between the start of a load and the end of the store.
//
// What one tile takes at an engine is latency.hpp's; when it gets there follows from the tiles before it. It judges the
// closed form, which knows tiles by kind and count only.
//
// Pure function; thread-safe. Takes time in proportion to the number of tiles.
#pragma once

#include "base/stop.hpp"
#include "silicon/systolic/latency.hpp"

namespace tilewright::silicon {

struct Replayed {
    double cycles = 0.0;
    double tiles = 0.0;
    double load_busy = 0.0;  ///< cycles that the engine worked, likewise the others
    double compute_busy = 0.0;
    double store_busy = 0.0;
};

/// Throws Stopped once `stop` is requested.
Replayed replay(const TiledLayer& layer, const SystolicMachine& machine, const StopSource* stop = nullptr);

}  // namespace tilewright::silicon
