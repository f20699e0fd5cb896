// Traffic below a memory in a nest with remainders.
#pragma once

#include <vector>

#include "model/exact/traffic.hpp"

namespace tilewright {

/// Traffic of `tensor` below memories `level` to `asking` - 1, only the first of which keeps it: requests of memory
/// `asking` (one past the innermost: the compute units) in every step are passed on. Walks the temporal loops once per
/// distinct situation, not per iteration: the counts depend only on the dimensions in their last tile and on the
/// requesters' words relative to the nest's position, so iterations repeat after the first few and whole sub-nests
/// recur.
std::vector<Traffic> imperfect_traffic(const Nest& nest, int level, int asking, int tensor);

}  // namespace tilewright
