// Memory occupancy for the einsums of a tree in sequence. Internal to account/.
#pragma once

#include <vector>

#include "accelforge/account/counts.hpp"
#include "accelforge/account/evaluate.hpp"

namespace tilewright::accelforge {

/// An einsum of the mapping with its reservations.
struct MappedEinsum {
    EinsumPath path;
    EinsumCounts counts;
};

/// Maximum bits in one instance of each memory. A tile above a loop lives throughout the loop, in all einsums inside
/// it; a shared tensor lives in its outermost memory from the first branch using it to the last; persistent tensors
/// always; the rest during its own einsum.
std::vector<MemoryUse> occupancy(const Workload& workload, const std::vector<MappedEinsum>& einsums);

}  // namespace tilewright::accelforge
