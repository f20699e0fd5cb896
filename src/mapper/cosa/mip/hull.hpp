// Rows that follow from integrality: whole numbers with unequal weights, such as the logarithms of primes, cannot fill
// every room.
//
// Of the convex hull of each DownSet, the faces that the relaxation's optimum violates become rows: 2^a 3^b <= 8 says
// a + 2b <= 3, where the logarithms say a + 1.58 b <= 3.
#pragma once

#include <vector>

#include "mapper/cosa/mip/down_set.hpp"

namespace tilewright::mip {

/// Adds rows that every solution meets, until the optimum of the relaxation is in the hull of each single set. Returns
/// how many.
int add_hull_rows(Program& problem, const std::vector<DownSet>& sets);

}  // namespace tilewright::mip
