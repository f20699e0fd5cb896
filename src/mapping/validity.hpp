// Legality of a mapping on a machine; violations name the memory, words, loop or mesh axis.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// In Timeloop's words (its model/arithmetic.cpp and buffer.cpp).
enum class ViolationKind {
    factor_product,  ///< the loops of a dimension do not cover its extent exactly
    fanout_x,        ///< more instances in use along X than the mesh has, or more neighbours than one instance has
    fanout_y,
    instances,        ///< more instances in use than there are
    capacity,         ///< the tiles of a memory do not fit
    min_utilization,  ///< the tiles of a memory fill too little of it
    tile,             ///< a tile breaks a rule of its memory
    bypass,           ///< a tensor is kept nowhere
    no_fanout,        ///< a spatial loop at a memory with one inner neighbour
    nest,             ///< not a nest of this architecture (wrong memories or order)
};

/// "capacity" and the like: the kinds of the golden files.
std::string violation_kind_name(ViolationKind kind);

struct Violation {
    ViolationKind kind = ViolationKind::nest;
    std::string level;    ///< name of the memory or compute unit, or ""
    std::string message;  ///< "shared_glb holds 70000 words, 4464 more than its 65536: Inputs 60000, Outputs 10000"
    int node = -1;        ///< the store or loop at fault, by index in Mapping::nodes; -1: the nest as a whole
};

/// All violations; empty means legal. The first is Timeloop's: structure, then the compute array, then the memories
/// from the innermost outwards. Last, beyond Timeloop, the neighbours below each instance.
std::vector<Violation> check(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

}  // namespace tilewright
