// A mapping on a GPU as CUDA source: one kernel and the function that launches it with the schedule's grid, thread
// block and shared memory.
//
//     const Kernel kernel = make_kernel(einsum, architecture, mapping, "conv1");
//     write_file("conv1.cu", kernel.source);    // extern "C" cudaError_t conv1(const float* weights, ...,
//     cudaStream_t)
//
// Tensors are dense arrays of float on the device, last rank fastest, in the order of the einsum's ranks; each has
// exactly the words that the einsum touches (padding is part of the input). Pure functions; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "codegen/cuda/launch.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright::cuda {

struct Kernel {
    std::string name;  ///< of the function that launches it
    std::string source;
    Launch launch;
};

/// What the machine's description and compute capability 3.7 to 9.0 allow. Requires three storing memories.
LaunchLimits launch_limits(const Architecture& architecture);

/// Requires a legal mapping (check()). Throws InputError(unsupported) for a machine or mapping that is none of a GPU
/// (tiling.hpp), and OverflowError. Whether a GPU launches it is for launch_problems() to say.
Kernel make_kernel(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                   const std::string& layer);

}  // namespace tilewright::cuda
