// How full memories get when the einsums of a tree run one after the other. Internal to account/.
#pragma once

#include <vector>

#include "accelforge/account/counts.hpp"
#include "accelforge/account/evaluate.hpp"

namespace tilewright::accelforge {

/// An einsum of the mapping with what it reserves.
struct MappedEinsum {
    EinsumPath path;
    EinsumCounts counts;
};

/// The most bits in one instance of each memory. What stands above a loop lives as long as the loop runs, in all
/// einsums inside it; a tensor of several einsums lives in its outermost memory from the first branch that uses it to
/// the last; what is persistent always; all else while its own einsum runs.
std::vector<MemoryUse> occupancy(const Workload& workload, const std::vector<MappedEinsum>& einsums);

}  // namespace tilewright::accelforge
