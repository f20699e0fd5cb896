// The proven best tile and loop order of a layer on a systolic machine: every tile has a lower bound by its cycles
// without a miss, and every order of the remaining ones is evaluated.
//
//     const SystolicAnswer best = best_tiling(layer, machine, [&](const AxisExtents& tile) { return ...; });
//
// Space: tiles of whole channel blocks and any rows and columns (per number of tiles along an axis the smallest, since
// others only shorten the last one), and orders finishing a sum before the next begins, as required by an accumulator.
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
    std::int64_t tiles = 0;     ///< fitting ones
    std::int64_t compared = 0;  ///< fully evaluated tiles with an order; the others are ruled out by their bound
    bool proven = false;        ///< false if stopped
};

/// The fitting tiles of `layer`, unordered: the search space of best_tiling().
std::vector<AxisExtents> tiles_that_fit(const TiledLayer& layer, const SystolicMachine& machine, const Fits& fits);

/// Orders of the loops around a tile, innermost first, finishing each sum before the next one begins.
std::vector<std::vector<Axis>> orders_of(const TiledLayer& layer);

/// Empty if no tile fits. On ties the first, smaller tiles first.
std::optional<SystolicAnswer> best_tiling(const TiledLayer& layer, const SystolicMachine& machine, const Fits& fits,
                                          const StopSource* stop = nullptr);

}  // namespace tilewright::silicon
