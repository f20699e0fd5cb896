// Padding: einsums with extents rounded up so that perfect factors fill a fan-out (FactorRule::padded).
#pragma once

#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// The einsum itself and the ways to pad it: per axis of a fan-out at most one dimension that may run along it is
/// rounded up to a multiple of the axis. Extents that fit on the axis whole are not padded, so no axis doubles the
/// work. Ascending in operations, at most 32; throws OverflowError.
std::vector<Einsum> paddings(const Einsum& einsum, const Architecture& architecture, const Constraints& constraints);

}  // namespace tilewright
