// Plan: shared decisions of a kernel's parts: tiling, launch, names, and index expressions.
//
// In the kernel, `k_tile`, `k_block`, `k_step`, `k_thread` and `k` count the loops over dimension K. `k_base` is the
// start of the block's tile, `k_at` the start of the thread's work within it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/cuda/code.hpp"
#include "codegen/cuda/launch.hpp"
#include "codegen/cuda/tiling.hpp"
#include "workload/einsum.hpp"

namespace tilewright::cuda {

struct Plan {
    Einsum einsum;
    Tiling tiling;
    Names names;
    std::vector<std::string> loop_names;         ///< by tiling.loops
    std::array<std::vector<int>, 3> grid_axes;   ///< loops along blockIdx.x, .y and .z, innermost first
    std::array<std::vector<int>, 3> block_axes;  ///< the same for threadIdx
    Launch launch;
    std::vector<std::int64_t> tile_words;  ///< by tensor; 0: not staged
    std::string index_type;                ///< of tensor positions: "int", or "long long" if too short

    const Tensor& written() const { return einsum.tensors[tiling.written]; }
    bool is_sum_dimension(int dimension) const { return !is_relevant(written(), dimension); }
    bool has_loop(int dimension, Role role) const;

    /// Loops of these roles over a dimension, up to and including loop `last`: "k_tile * 64 + k_block * 16".
    Sum along(int dimension, std::initializer_list<Role> roles, int last) const;
    Sum along(int dimension, std::initializer_list<Role> roles) const;
    /// Their variables; empty for a dimension without such loops.
    Sum base(int dimension) const;
    Sum at(int dimension) const;
    /// A point's position, relative to `at`.
    Sum point(int dimension) const { return along(dimension, {Role::point}); }
};

/// Requires and throws as tiling_of().
Plan plan_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

/// Length of a tensor's rank over a box of iterations.
std::int64_t rank_extent(const Rank& rank, const Extents& box);

/// Word strides by rank for a dense tensor, last rank fastest, over a box.
std::vector<std::int64_t> rank_strides(const Tensor& tensor, const Extents& box);

}  // namespace tilewright::cuda
