// Launch parameters of a CUDA kernel, and a GPU's limits on them.
//
// The limits are equal from compute capability 3.7 (K80) to 9.0 (H200) in NVIDIA's "CUDA C++ programming guide", except
// shared memory, given by the machine's description. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::cuda {

struct Dim3 {
    std::int64_t x = 1;
    std::int64_t y = 1;
    std::int64_t z = 1;

    bool operator==(const Dim3&) const = default;
};

/// "(64, 4, 1)"
std::string to_text(const Dim3& extents);

struct Launch {
    Dim3 grid;
    Dim3 block;
    std::int64_t shared_bytes = 0;      ///< of one block
    std::int64_t words_per_thread = 0;  ///< 32-bit words in a thread's registers

    bool operator==(const Launch&) const = default;
};

struct LaunchLimits {
    Dim3 grid{2147483647, 65535, 65535};
    Dim3 block{1024, 1024, 64};
    std::int64_t threads_per_block = 1024;
    std::int64_t registers_per_block = 65536;
    std::int64_t registers_per_thread = 255;
    /// A thread's further registers: addresses, counters, bounds. nvcc spills the excess, so this affects speed, not
    /// correctness.
    std::int64_t registers_beside_words = 24;
    std::int64_t shared_bytes_per_block = 48 * 1024;
};

/// Reasons for a refused launch, one sentence each; empty: none.
std::vector<std::string> launch_problems(const Launch& launch, const LaunchLimits& limits);

/// Assignment of loops to x, y and z of a grid or a thread block, by index, innermost first. The first loop gets x and
/// the second y; the others share z, or, if z would be too long, y, or all share x.
struct Axes {
    std::vector<int> x;
    std::vector<int> y;
    std::vector<int> z;
};
Axes assign_axes(const std::vector<std::int64_t>& extents, const Dim3& limits);

}  // namespace tilewright::cuda
