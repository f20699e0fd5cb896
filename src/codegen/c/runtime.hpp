// The part of every C program that no mapping changes: buffers, copies, counts. Internal to codegen/c.
#pragma once

namespace tilewright::c_form {

/// Needs MEMORIES, TENSORS, RANKS and the tables kKept, kOuter, kBelow, kBlock, kWritten before it, by memory and
/// tensor.
extern const char* const kRuntime;

}  // namespace tilewright::c_form
