// Traffic below a memory in a nest with remainders.
#pragma once

#include <vector>

#include "model/exact/traffic.hpp"

namespace tilewright {

/// Traffic of `tensor` below memories `level` to `asking` - 1, of which only the first keeps it: what memory `asking`
/// (one past the innermost one: the compute units) asks for in every step is passed on. Walks the temporal loops around
/// who asks once per distinct situation instead of once per iteration: the counts only depend on which dimensions are
/// in their last tile and on what those who ask hold relative to where the nest is now, so iterations repeat after the
/// first few and whole sub-nests recur.
std::vector<Traffic> imperfect_traffic(const Nest& nest, int level, int asking, int tensor);

}  // namespace tilewright
