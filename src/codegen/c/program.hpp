// A mapping as a C program that runs anywhere: its loops, a buffer for every tile, copies of what a tile lacks, and a
// count of each copy. An executable judge of what a mapping means: the result is the einsum's, and the counted words
// are those of the exact model (docs/model.md).
//
//     void run_layer(const float* t0, const float* t1, float* t2, int64_t counts[MEMORIES][TENSORS][3]);
//
// Tensors in the einsum's order. counts: words read, filled and updated. Arrays: dense, last index fastest, a rank as
// long as the einsum touches.
// Neighbours of a fan-out run one after the other.
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright::c_form {

struct Program {
    std::string name;    ///< of the function
    std::string source;  ///< C99, by itself
};

/// Why there is no such program, or "": stores of a memory at different places, or more than 10^8 requests at once.
std::string problem_with(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

/// Requires check(einsum, architecture, mapping) and problem_with() to be empty. `layer`: becomes the name.
Program make_program(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                     const std::string& layer);

// The part of every C program that no mapping changes: buffers, copies, counts. Internal to codegen/c.

/// Needs MEMORIES, TENSORS, RANKS and the tables kKept, kOuter, kBelow, kBlock, kWritten before it, by memory and
/// tensor.
extern const char* const kRuntime;

}  // namespace tilewright::c_form
