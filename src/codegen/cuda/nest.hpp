// The body of a kernel: loops of block and thread, places of fetches into shared memory, and begin and end of sums.
//
// An operand's tile is fetched inside its innermost relevant tile loop; sums start inside the result's innermost
// relevant loop, and are written there. A partial sum is read back and continued.
#pragma once

#include "codegen/cuda/code.hpp"
#include "codegen/cuda/plan.hpp"

namespace tilewright::cuda {

void write_body(const Plan& plan, Code& code);

}  // namespace tilewright::cuda
