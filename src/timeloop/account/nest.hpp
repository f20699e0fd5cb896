// A mapping as Timeloop sees it: one list of non-trivial loops, innermost first, cut into storage levels, with the
// tables its analysis looks up (Timeloop, mapping/parser.cpp and loop-analysis/nest-analysis.cpp). Storage level 0 is
// the innermost memory.
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
    int storage = 0;              ///< the storage level it belongs to
    bool closes_storage = false;  ///< outermost loop of its storage level
    bool is_master = false;       ///< outermost loop of a spatial block
    /// Average number of instances that the spatial loops outside spread over.
    double utilization = 1.0;
    std::int64_t stride = 1;  ///< iterations of its dimension that one step covers
    Iteration full_reach{};   ///< extent - 1 of its tile, per dimension, away from the edge
    Iteration last_reach{};   ///< the same when everything outside is at its last iteration
};

/// The spatial loops of one storage level: loops first..master of the nest, spread over the mesh below the memory.
struct SpatialBlock {
    int first = 0;   ///< innermost
    int master = 0;  ///< outermost
    std::int64_t fanout = 1;
    Mesh grid;  ///< where its elements sit: the hardware's fan-out or the mapped one, whichever is larger per axis
};

struct StorageSpan {
    int first = 0;     ///< innermost temporal loop
    int boundary = 0;  ///< outermost temporal loop
    std::optional<SpatialBlock> block;
    Mesh expansion;  ///< product of the extents of the spatial loops outside, per axis: instances in use
};

struct Nest {
    std::vector<NestLoop> loops;
    std::vector<StorageSpan> storages;  ///< innermost first
    Mesh compute_expansion;
    bool imperfect = false;
    std::int64_t temporal_iterations = 1;  ///< product of the full extents of the temporal loops
    /// Innermost imperfect loop of each dimension; the number of loops when there is none.
    std::array<int, kMaxDimensions> innermost_imperfect{};

    int size() const { return static_cast<int>(loops.size()); }
};

/// Requires an even mapping of this architecture.
Nest flatten(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

/// What makes Timeloop stop before it counts anything: a factor product that misses a bound, a tensor kept nowhere, an
/// imperfect spatial loop without a loop of its dimension outside.
std::optional<Violation> structural_refusal(const Einsum& einsum, const Architecture& architecture,
                                            const Mapping& mapping, const Nest& nest);

/// A spatial block of more elements than can be laid out one by one; such a machine is ours to refuse, not Timeloop's.
std::optional<Violation> oversized_block(const Architecture& architecture, const Nest& nest);

}  // namespace tilewright::account
