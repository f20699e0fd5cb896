// Our variant of CoSA, and the paper's printed sum: exact tiles (tiles.hpp), traffic (11) in the paper's three parts.
//
// - Data size (7): relevant factors inside the array. Ours get a little cheaper with depth, as in the released code; as
//   printed, all weigh 1.
// - Network (8): relevant spatial factors at the hub; the others multicast or reduce.
// - Iterations (10): loops at the hub without the innermost irrelevant ones; as printed, only of tensors kept by the
//   hub (B in (9)). Ours continue at the memories outside it, with double weight for the distance; as printed there is
//   no such part.
//
// Loops inside the array have no part in the sum; best_order() orders them.
#pragma once

#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"
#include "mapper/cosa/schedule.hpp"

namespace tilewright::cosa {

struct TrafficWeights {
    double innermost = 0.8;  ///< of data size, at the innermost memory
    double step = 0.04;      ///< more at every memory further out
    double outside = 2.0;    ///< of iterations outside the hub
    bool bypassing = true;   ///< tensors bypassing the hub have iterations there, too

    static TrafficWeights as_printed() { return {1.0, 0.0, 0.0, false}; }
};

std::vector<OrderedPlace> exact_orders(const Layout& layout, Orders orders, const TrafficWeights& weights);

/// `ordered`: from exact_orders(), encoded. Utilization is left to Tiles.
Terms exact_terms(const Encoding& encoding, const std::vector<OrderedPlace>& ordered, const TrafficWeights& weights);

/// The dimensions, innermost first, in the order of the fewest fills of the memories inside `place`.
std::vector<int> best_order(const Layout& layout, int place, const Placement& placement);

}  // namespace tilewright::cosa
