// Whether constraints leave every mapping free: a proof over all mappings would not be one over those that meet them.
#pragma once

#include "mapspace/constraints.hpp"

namespace tilewright {

bool is_unconstrained(const Constraints& constraints);

}  // namespace tilewright
