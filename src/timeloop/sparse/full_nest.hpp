// Every loop of an even mapping, those that run once included, in the order of the mapping file: Timeloop's analysis of
// sparse tensors looks at them. Innermost first; storage level 0 is the innermost memory.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "sparse/density.hpp"
#include "workload/einsum.hpp"

namespace tilewright::account {

/// Dimensions in the order of a file's permutation, innermost first. What it does not name follows.
struct LevelOrder {
    std::vector<int> temporal;
    std::vector<int> spatial;

    bool operator==(const LevelOrder&) const = default;
};

/// By memory, outermost first; empty: what a mapping says itself, loops that run once outside of the others.
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

/// The bounding box of a box of iterations at the origin, projected on a tensor. Throws OverflowError.
sparse::Tile tile_of(const Tensor& tensor, const Extents& box);

}  // namespace tilewright::account
