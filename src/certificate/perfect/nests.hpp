// Nests: builds the temporal loops of one assignment from the compute units outwards and finds what they cost at least.
// Internal to certificate/.
//
// A label stands for some loops inside a point of the lattice. It knows the energy of all deliveries whose words those
// loops decide, and which are still open: words of stores that are placed, but whose tile no loop has moved yet, or
// that still slide. Between two stores loops are added one by one (stages.hpp). Label a makes label b needless when,
// with all of a's open deliveries settled at once in the dearest way (every advance sends the whole tile), it costs no
// more than b with its open deliveries at their least: whatever loops may follow b may follow a, and neither way can
// get worse (better). That is the whole search.
#pragma once

#include <optional>

#include "certificate/common/charges.hpp"
#include "certificate/common/goal.hpp"
#include "certificate/common/lattice.hpp"
#include "certificate/common/stages.hpp"
#include "certificate/perfect/to_come.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// With leakage and the latency of links: what mappings of energy `pj` and `cycles` compute or transfer cycles cost.
Cost cost_of(const Charges& charges, double pj, double cycles);

/// Whether some memory's bandwidth may bind, and the goal asks for cycles: of the least energy only leakage does.
bool bandwidth_counts(const Charges& charges, const Goal& goal);

/// Follows all loops of an assignment. Returns nothing when none of its mappings beats the goal; else what those that
/// may take at least: the least energy, and the fewest cycles.
std::optional<Cost> follow(const Mapspace& mapspace, const Charges& charges, TileNumbers& tiles, const ToCome& to_come,
                           const Goal& goal);

}  // namespace tilewright::certificate
