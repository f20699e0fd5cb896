// A bound for all mappings of one assignment (spatial factors and kept tensors), whatever its temporal loops are and
// whichever factors leave remainders. No tile is looked at: words come once to every memory that keeps them, and the
// compute units ask for theirs operation by operation.
#pragma once

#include "mapping/tiling_point.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::optimal {

struct CompulsoryBound {
    double energy_pj = 0.0;  ///< with leakage
    double cycles = 1.0;     ///< with the latency of links
};

/// `assignment`: spatial factors as in a point of the mapspace, and kept tensors.
CompulsoryBound compulsory_bound(const lean::Setup& setup, const TilingPoint& assignment);

}  // namespace tilewright::optimal
