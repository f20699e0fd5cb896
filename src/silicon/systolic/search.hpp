// The best tile and order of loops of a layer on a systolic machine, proven: every tile is bounded from below by its
// cycles without a miss, and every order of those that could still be better is computed.
//
//     const SystolicAnswer best = best_tiling(layer, machine, [&](const AxisExtents& tile) { return ...; });
//
// Among: tiles of whole blocks of channels and of any number of rows and columns (of those that need equally many tiles
// along an axis the smallest, for the others only cut the last one shorter), and orders that finish a sum before the
// next begins, as an accumulator demands.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/stop.hpp"
#include "silicon/systolic/latency.hpp"

namespace tilewright::silicon {

using Fits = std::function<bool(const AxisExtents& tile)>;

struct SystolicAnswer {
    TiledLayer layer;  ///< with the best tile and order
    SystolicLatency latency;
    std::int64_t tiles = 0;  ///< that fit
    std::int64_t compared =
        0;                ///< tiles with an order that were computed in full; the others are ruled out by their bound
    bool proven = false;  ///< false where it was stopped
};

/// The tiles of `layer` that fit, in no order that matters: the space that best_tiling() searches.
std::vector<AxisExtents> tiles_that_fit(const TiledLayer& layer, const SystolicMachine& machine, const Fits& fits);

/// Orders of the loops around a tile, innermost first, that finish each sum before the next one begins.
std::vector<std::vector<Axis>> orders_of(const TiledLayer& layer);

/// Nothing where no tile fits. Of equal ones the first, smaller tiles first.
std::optional<SystolicAnswer> best_tiling(const TiledLayer& layer, const SystolicMachine& machine, const Fits& fits,
                                          const StopSource* stop = nullptr);

}  // namespace tilewright::silicon
