// Einsums of a cascade whose leaves are alike: they differ in names and extents only, and the machine demands the same.
#pragma once

#include <vector>

#include "mapspace/constraints.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::fusion {

/// By einsum, the first one that is like it.
std::vector<int> first_alike(const Cascade& cascade, const std::vector<Constraints>& demands);

}  // namespace tilewright::fusion
