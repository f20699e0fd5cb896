// Sharing: how many groups of neighbours share words at least, where that depends on their tiles.
#pragma once

#include <array>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

/// By fan-out. 1 where sharing does not depend on the tile: those groups are in Charges.
using LeastGroups = std::array<double, kMaxMemories>;

/// Of one tensor, whatever loops stand inside the fan-outs.
LeastGroups least_groups(const Charges& charges, int tensor);

/// Of deliveries to memory `level`, across all fan-outs that they cross.
double groups_across(const Charges& charges, int tensor, int level, const LeastGroups& groups);

}  // namespace tilewright::optimal
