// A mapping on a GPU as CUDA source: one kernel and its launch function with the schedule's grid, thread block and
// shared memory.
//
//     const Kernel kernel = make_kernel(einsum, architecture, mapping, "conv1");
//     write_file("conv1.cu", kernel.source);    // extern "C" cudaError_t conv1(const float* weights, ...,
//     cudaStream_t)
//
// Tensors are dense arrays of float on the device, last rank fastest, in the order of the einsum's ranks, with exactly
// the einsum's words (padding is part of the input). Pure functions; thread-safe.
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "codegen/cuda/code.hpp"
#include "codegen/cuda/launch.hpp"
#include "codegen/cuda/plan.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright::cuda {

struct Kernel {
    std::string name;  ///< of the launch function
    std::string source;
    Launch launch;
};

/// Limits of the machine's description and of compute capability 3.7 to 9.0. Requires three storing memories.
LaunchLimits launch_limits(const Architecture& architecture);

/// Requires a legal mapping (check()). Throws InputError(unsupported) for a machine or mapping not of a GPU
/// (tiling.hpp), and OverflowError. Launchability: launch_problems().
Kernel make_kernel(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                   const std::string& layer);

// The body of a kernel: loops of block and thread, places of fetches into shared memory, and begin and end of sums.
//
// An operand's tile is fetched inside its innermost relevant tile loop; sums start inside the result's innermost
// relevant loop, and are written there. A partial sum is read back and continued.

void write_body(const Plan& plan, Code& code);

}  // namespace tilewright::cuda
