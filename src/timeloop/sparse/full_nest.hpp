// Every loop of an even mapping, single-iteration ones included, in the mapping file's order, as needed by Timeloop's
// sparse analysis. Innermost first; storage level 0 is the innermost memory.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "sparse/density.hpp"
#include "workload/einsum.hpp"

namespace tilewright::account {

/// Dimensions in the file's permutation, innermost first. Unnamed ones follow.
struct LevelOrder {
    std::vector<int> temporal;
    std::vector<int> spatial;

    bool operator==(const LevelOrder&) const = default;
};

/// By memory, outermost first; empty: the mapping's own order, single-iteration loops outside the others.
using LoopOrders = std::vector<LevelOrder>;

/// Iterations of a box, by dimension.
using Extents = std::vector<std::int64_t>;

struct FullLoop {
    int dimension = 0;
    std::int64_t bound = 1;
    LoopKind kind = LoopKind::temporal;
    Extents box;  ///< of all loops up to this one

    bool is_spatial() const { return kind != LoopKind::temporal; }
};

/// By storage level.
using FullNest = std::vector<std::vector<FullLoop>>;

/// Requires an even mapping. Throws OverflowError.
FullNest full_nest(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                   const LoopOrders& orders);

/// Projection of the bounding box of iterations at the origin on a tensor. Throws OverflowError.
sparse::Tile tile_of(const Tensor& tensor, const Extents& box);

}  // namespace tilewright::account
