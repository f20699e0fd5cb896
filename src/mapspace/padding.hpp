// Padding: einsums with extents rounded up so that perfect factors fill a fan-out (FactorRule::padded).
#pragma once

#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// The einsum itself and its paddings: per axis of a fan-out at most one dimension allowed there is rounded up to a
/// multiple of the axis. Extents that fit the axis whole are not padded, so no axis doubles the work. Ascending in
/// operations, at most 32; throws OverflowError.
std::vector<Einsum> paddings(const Einsum& einsum, const Architecture& architecture, const Constraints& constraints);

}  // namespace tilewright
