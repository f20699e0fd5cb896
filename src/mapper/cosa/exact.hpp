// Our variant of CoSA: tiles are as large as they are (tiles.hpp), and traffic (11) as the paper has it, at every
// memory.
//
// - Data size (7): factors inside the array that move a tensor, a little cheaper the deeper they lie, as in the
// released
//   code.
// - Network (8): spatial factors at the hub that move it; the others multicast or reduce.
// - Iterations (10): loops at the hub and at the memories outside it, except the innermost ones there that do not move
//   the tensor. Outside the hub every iteration counts twice: those words come from afar.
//
// The loops inside the array have no part in that sum; best_order() says how they should stand.
#pragma once

#include <vector>

#include "mapper/cosa/encoding.hpp"
#include "mapper/cosa/schedule.hpp"
#include "mapper/cosa/terms.hpp"

namespace tilewright::cosa {

std::vector<OrderedPlace> exact_orders(const Layout& layout, Orders orders);

/// `ordered`: as given by exact_orders() and encoded. Utilization is left to Tiles.
Terms exact_terms(const Encoding& encoding, const std::vector<OrderedPlace>& ordered);

/// The dimensions, innermost first, in the order under which the memories inside `place` are filled least often.
std::vector<int> best_order(const Layout& layout, int place, const Placement& placement);

}  // namespace tilewright::cosa
