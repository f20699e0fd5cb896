// How many elements a tensor has along each of its ranks.
#pragma once

#include "sparse/density.hpp"
#include "workload/einsum.hpp"

namespace tilewright::sparse {

/// Of the box that the whole iteration space touches.
Tile extents_of(const Einsum& einsum, int tensor);

}  // namespace tilewright::sparse
