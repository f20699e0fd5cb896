// Nests: builds the temporal loops of one assignment from the compute units outwards and bounds their cost (C3).
// Internal to certificate/.
//
// A label is a set of loops inside a lattice point, with the energy of its settled deliveries and its open ones: stored
// tiles not moved yet, or still sliding. Between two stores loops are added one by one (stages.hpp). Label a replaces
// label b if cost(a) with all open deliveries settled at once in the dearest way (every advance sends the whole tile)
// is at most cost(b) with its open deliveries at their least: any loops allowed after b are allowed after a, and
// neither bound can be crossed.
#pragma once

#include <optional>

#include "certificate/common/charges.hpp"
#include "certificate/common/lattice.hpp"
#include "certificate/common/proof.hpp"
#include "certificate/common/stages.hpp"
#include "certificate/perfect/loads_to_come.hpp"
#include "mapspace/mapspace.hpp"

namespace tilewright::certificate {

/// Cost of mappings with `pj` and `cycles` of computation or transfers, with leakage and the latency of links.
Cost cost_of(const Charges& charges, double pj, double cycles);

/// Some memory's bandwidth may bind, and the goal depends on cycles: the least energy only through leakage.
bool bandwidth_counts(const Charges& charges, const Goal& goal);

/// Follows all loops of an assignment. Nothing if none of its mappings beats the goal; else lower bounds of those that
/// may: least energy, and fewest cycles.
std::optional<Cost> follow(const Mapspace& mapspace, const Charges& charges, TileNumbers& tiles, const ToCome& to_come,
                           const Goal& goal);

}  // namespace tilewright::certificate
