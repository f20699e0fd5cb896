// B3: least number of groups of neighbours sharing words, if sharing depends on their tiles.
#pragma once

#include <array>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

/// By fan-out. 1 if sharing does not depend on the tile: Charges has those groups.
using LeastGroups = std::array<double, kMaxMemories>;

/// Of one tensor, for any loops inside the fan-outs.
LeastGroups least_groups(const Charges& charges, int tensor);

/// Of deliveries to memory `level`, across all fan-outs they cross.
double groups_across(const Charges& charges, int tensor, int level, const LeastGroups& groups);

}  // namespace tilewright::optimal
