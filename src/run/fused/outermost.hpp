// A limited outermost memory: the search of fused mappings knows unlimited ones only.
#pragma once

#include "arch/architecture.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright {

/// The architecture without the limit of its outermost memory where that holds all tensors of the cascade at once,
/// those of a block as often as it runs, so that no mapping meets the limit; else as it is. Throws OverflowError.
Architecture with_room_for(const Cascade& cascade, Architecture architecture);

}  // namespace tilewright
