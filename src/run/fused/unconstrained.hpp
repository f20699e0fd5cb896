// Whether constraints leave every mapping free: a proof over all mappings would not be one over those that meet them.
#pragma once

#include <functional>

#include "mapspace/constraints.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright {

bool is_unconstrained(const Constraints& constraints);

/// The same of every einsum of the cascade; `constraints_of` says what holds for one.
bool is_unconstrained(const Cascade& cascade, const std::function<Constraints(const Einsum&)>& constraints_of);

}  // namespace tilewright
