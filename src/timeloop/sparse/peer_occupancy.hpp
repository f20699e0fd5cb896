// Densities as Timeloop counts with them, its faults included (docs/timeloop.md). Its files know fixed_structured,
// hypergeometric and banded; of the densities that only we have (N:M, measured) the exact distribution is taken.
#pragma once

#include <memory>

#include "sparse/occupancy.hpp"

namespace tilewright::account {

/// Requires sparse::problem_with(density, tensor) == "".
std::unique_ptr<sparse::Occupancy> peer_occupancy(const sparse::Density& density, const sparse::Tile& tensor);

}  // namespace tilewright::account
