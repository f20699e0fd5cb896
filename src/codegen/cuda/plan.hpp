// Plan: all that the parts of a kernel's text have to agree on - the tiling, the launch, the names, and how an index is
// spelled.
//
// In the kernel, `k_tile`, `k_block`, `k_step`, `k_thread` and `k` count the loops over dimension K. `k_base` is where
// the block's tile begins, `k_at` where the thread's work begins within that tile.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/cuda/code.hpp"
#include "codegen/cuda/launch.hpp"
#include "codegen/cuda/names.hpp"
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
    std::vector<std::int64_t> tile_words;  ///< by tensor; 0 for those that are not staged
    std::string index_type;                ///< of positions in tensors: "int", or "long long" where that is too short

    const Tensor& written() const { return einsum.tensors[tiling.written]; }
    bool is_sum_dimension(int dimension) const { return !is_relevant(written(), dimension); }
    bool has_loop(int dimension, Role role) const;

    /// Loops of these roles over a dimension, up to and including loop `last`: "k_tile * 64 + k_block * 16".
    Sum along(int dimension, std::initializer_list<Role> roles, int last) const;
    Sum along(int dimension, std::initializer_list<Role> roles) const;
    /// The variables that stand for them; nothing for a dimension without such loops.
    Sum base(int dimension) const;
    Sum at(int dimension) const;
    /// Where a point lies, counted from what `at` counts from.
    Sum point(int dimension) const { return along(dimension, {Role::point}); }
};

/// Requires and throws what tiling_of() does.
Plan plan_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

/// Length of a tensor's rank over a box of iterations.
std::int64_t rank_extent(const Rank& rank, const Extents& box);

/// Words from one index of a rank to the next, by rank, for a tensor that is laid out densely, last rank fastest, over
/// a box.
std::vector<std::int64_t> rank_strides(const Tensor& tensor, const Extents& box);

}  // namespace tilewright::cuda
