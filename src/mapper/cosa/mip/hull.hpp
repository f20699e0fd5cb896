// Rows implied by integrality: whole numbers with unequal weights (logarithms of primes) cannot fill every room.
//
// Faces of the convex hull of each DownSet violated by the relaxation's optimum become rows: 2^a 3^b <= 8 gives a + 2b
// <= 3, the logarithms only a + 1.58 b <= 3.
#pragma once

#include <vector>

#include "mapper/cosa/mip/down_set.hpp"

namespace tilewright::mip {

/// Adds valid rows until the relaxation's optimum is in the hull of each single set. Returns their number.
int add_hull_rows(Program& problem, const std::vector<DownSet>& sets);

}  // namespace tilewright::mip
