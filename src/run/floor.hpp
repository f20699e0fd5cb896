// What no mapping of a network can undercut, without a search: for explorations, which need not map a machine that is
// worse than another even at its best.
#pragma once

#include <cstdint>
#include <optional>

#include "run/map_network.hpp"

namespace tilewright {

/// Of one layer: no mapping has less energy, none fewer cycles, and none a smaller objective.
struct LeastCost {
    double energy_pj = 0.0;
    double cycles = 0.0;
    double objective = 0.0;
};

/// The least of the bounds of all choices of spatial factors and kept tensors (docs/optimal.md), of energy, cycles and
/// options.objective each for itself. Nothing for paddings and uneven mappings, which the bounds do not cover, where
/// the layer has no mapping, or more choices than can be looked at quickly. Throws OverflowError.
std::optional<LeastCost> floor_of(const LayerProblem& layer, const MapOptions& options);

/// Totals over all layers, each as often as it runs, one after the other.
struct NetworkFloor {
    double energy_pj = 0.0;
    double cycles = 0.0;
    double operations = 0.0;  ///< multiply-accumulates: all of them
};

/// Of all layers; nothing where there is none of one.
std::optional<NetworkFloor> floor_of(const NetworkProblem& problem, const MapOptions& options);

}  // namespace tilewright
