// The body of a kernel: the loops of a block and a thread, what comes into shared memory where, and where sums begin
// and end.
//
// An operand's tile is fetched inside the innermost tile loop that moves the operand; sums are started inside the
// innermost loop that moves the result, and written there. A sum that was written before all its contributions came is
// read back and continued.
#pragma once

#include "codegen/cuda/code.hpp"
#include "codegen/cuda/plan.hpp"

namespace tilewright::cuda {

void write_body(const Plan& plan, Code& code);

/// Copies an operand's tile from device to shared memory, all threads together. What lies beyond the tensor becomes
/// zero.
void write_fetch(const Plan& plan, int tensor, Code& code);

}  // namespace tilewright::cuda
