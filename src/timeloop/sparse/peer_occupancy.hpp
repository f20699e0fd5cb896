// Densities as counted by Timeloop, faults included (docs/timeloop.md). Its files know fixed_structured, hypergeometric
// and banded; for Tilewright's own (N:M, measured) the exact distribution.
#pragma once

#include <memory>

#include "sparse/occupancy.hpp"

namespace tilewright::account {

/// Requires sparse::problem_with(density, tensor) == "".
std::unique_ptr<sparse::Occupancy> peer_occupancy(const sparse::Density& density, const sparse::Tile& tensor);

}  // namespace tilewright::account
