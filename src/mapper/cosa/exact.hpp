// Our variant of CoSA: tiles are as large as they are (tiles.hpp), and traffic is what moves.
//
// Traffic (11) is summed over every step of a tensor's way: from each memory that keeps it to the next one inside that
// does, or to the compute units. In log2, a step moves the tensor's own size, spread or not (7, 8), times the loops
// that repeat it (10): those outside the receiving memory whose dimension does not move the tensor, except the
// innermost ones of the loops between the two memories, under which it rests. Spatial loops that do not move it
// multicast or reduce. Steps inside the array weigh less than those on the network and from the outermost memory.
#pragma once

#include <vector>

#include "mapper/cosa/encoding.hpp"
#include "mapper/cosa/schedule.hpp"
#include "mapper/cosa/terms.hpp"

namespace tilewright::cosa {

std::vector<OrderedPlace> exact_orders(const Layout& layout, Orders orders);

/// `ordered`: as given by exact_orders() and encoded. Utilization is left to Tiles.
Terms exact_terms(const Encoding& encoding, const std::vector<OrderedPlace>& ordered);

}  // namespace tilewright::cosa
