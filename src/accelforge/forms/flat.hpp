// The simplest mapping of a workload: every tensor in every memory, einsums in sequence, loops over single steps.
// Minimum traffic per einsum, if everything fits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "accelforge/values/mapping.hpp"
#include "accelforge/values/workload.hpp"

namespace tilewright::accelforge {

/// `memories`: outermost first, at least one; `compute_of`: the compute unit of each einsum.
MappingTree flat_mapping(const Workload& workload, const std::vector<std::string>& memories,
                         const std::function<std::string(const EinsumSpec&)>& compute_of);

}  // namespace tilewright::accelforge
