// Einsums of a cascade whose leaves are alike: they differ in names and extents only, and the machine demands the same.
#pragma once

#include <vector>

#include "mapspace/constraints.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright::fusion {

/// By einsum, the first one that is like it. `partial`: bits of partial sums by tensor of the cascade.
std::vector<int> first_alike(const Cascade& cascade, const std::vector<Constraints>& demands,
                             const PartialBits& partial = {});

}  // namespace tilewright::fusion
