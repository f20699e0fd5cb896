// Our variant of CoSA, and the sum as the paper prints it: tiles are as large as they are (tiles.hpp), and traffic (11)
// has the paper's three parts.
//
// - Data size (7): factors inside the array that move a tensor. Ours are a little cheaper the deeper they lie, as in
//   the released code; as printed, all weigh 1.
// - Network (8): spatial factors at the hub that move it; the others multicast or reduce.
// - Iterations (10): loops at the hub, except the innermost ones there that do not move the tensor; as printed, only of
//   tensors that the hub keeps (B in (9)). Ours go on at the memories outside it, where every iteration counts twice:
//   those words come from afar. As printed there is no such part.
//
// The loops inside the array have no part in that sum; best_order() says how they should stand.
#pragma once

#include <vector>

#include "mapper/cosa/encoding/encoding.hpp"
#include "mapper/cosa/encoding/terms.hpp"
#include "mapper/cosa/schedule.hpp"

namespace tilewright::cosa {

/// What the parts of traffic weigh.
struct TrafficWeights {
    double innermost = 0.8;  ///< of data size, at the innermost memory
    double step = 0.04;      ///< more at every memory further out
    double outside = 2.0;    ///< of iterations outside the hub
    bool bypassing = true;   ///< tensors that pass the hub by have iterations there, too

    static TrafficWeights as_printed() { return {1.0, 0.0, 0.0, false}; }
};

std::vector<OrderedPlace> exact_orders(const Layout& layout, Orders orders, const TrafficWeights& weights);

/// `ordered`: as given by exact_orders() and encoded. Utilization is left to Tiles.
Terms exact_terms(const Encoding& encoding, const std::vector<OrderedPlace>& ordered, const TrafficWeights& weights);

/// The dimensions, innermost first, in the order under which the memories inside `place` are filled least often.
std::vector<int> best_order(const Layout& layout, int place, const Placement& placement);

}  // namespace tilewright::cosa
