// A mapping in Timeloop's form: one list of non-trivial loops, innermost first, cut into storage levels, with its
// lookup tables (Timeloop, mapping/parser.cpp and loop-analysis/nest-analysis.cpp). Storage level 0 is the innermost
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapping/validity.hpp"
#include "timeloop/account/box.hpp"
#include "workload/einsum.hpp"

namespace tilewright::account {

struct NestLoop {
    Loop loop;
    int storage = 0;              ///< its storage level
    bool closes_storage = false;  ///< outermost loop of its storage level
    bool is_master = false;       ///< outermost loop of a spatial block
    /// Average instances under the outer spatial loops.
    double utilization = 1.0;
    std::int64_t stride = 1;  ///< stride in its dimension
    Iteration full_reach{};   ///< extent - 1 of its tile, per dimension, away from the edge
    Iteration last_reach{};   ///< the same with all outer loops at their last iteration
};

/// Spatial loops of one storage level: loops first..master of the nest, over the mesh below the memory.
struct SpatialBlock {
    int first = 0;   ///< innermost
    int master = 0;  ///< outermost
    std::int64_t fanout = 1;
    Mesh grid;  ///< placement grid: hardware or mapped fan-out, whichever is larger per axis
};

struct StorageSpan {
    int first = 0;     ///< innermost temporal loop
    int boundary = 0;  ///< outermost temporal loop
    std::optional<SpatialBlock> block;
    Mesh expansion;  ///< instances in use per axis: product of the outer spatial extents
};

struct Nest {
    std::vector<NestLoop> loops;
    std::vector<StorageSpan> storages;  ///< innermost first
    Mesh compute_expansion;
    bool imperfect = false;
    std::int64_t temporal_iterations = 1;  ///< product of the full extents of the temporal loops
    /// Innermost imperfect loop per dimension; the number of loops if none.
    std::array<int, kMaxDimensions> innermost_imperfect{};

    int size() const { return static_cast<int>(loops.size()); }
};

/// Requires an even mapping of this architecture.
Nest flatten(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

/// Timeloop's refusals before counting: factor product out of bounds, tensor kept nowhere, imperfect spatial loop
/// without an outer loop of its dimension.
std::optional<Violation> structural_refusal(const Einsum& einsum, const Architecture& architecture,
                                            const Mapping& mapping, const Nest& nest);

/// A spatial block too large to lay out. This refusal is Tilewright's, not Timeloop's.
std::optional<Violation> oversized_block(const Architecture& architecture, const Nest& nest);

}  // namespace tilewright::account
