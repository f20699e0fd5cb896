// Traffic below a memory in a nest with remainders.
#pragma once

#include "model/exact/traffic.hpp"

namespace tilewright {

/// As traffic_below(), for a memory that is not the innermost one. Walks the temporal loops around the memory once per
/// distinct situation instead of once per iteration: the counts only depend on which dimensions are in their last tile
/// and on what the neighbours hold relative to where the nest is now, so iterations repeat after the first few and
/// whole sub-nests recur.
Traffic imperfect_traffic(const Nest& nest, int level, int tensor);

}  // namespace tilewright
