// B9: lower bound of all mappings of one assignment (spatial factors, kept tensors), for any temporal loops and
// remainders. Words come once to every keeping memory; the compute units access theirs operation by operation.
#pragma once

#include "mapping/tiling_point.hpp"
#include "model/lean/problem.hpp"

namespace tilewright::optimal {

struct CompulsoryBound {
    double energy_pj = 0.0;  ///< with leakage
    double cycles = 1.0;     ///< with the latency of links
};

/// `assignment`: spatial factors and kept tensors of a mapspace point.
CompulsoryBound compulsory_bound(const lean::Setup& setup, const TilingPoint& assignment);

}  // namespace tilewright::optimal
