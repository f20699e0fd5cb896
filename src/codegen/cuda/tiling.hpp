// Tiling: a mapping read as a GPU kernel. It says which loops the blocks of a grid share, which the threads of a block
// share, and which every one of them runs through.
//
//     memory           loops below it     in the kernel
//     device memory    temporal           tile    every block runs through them; new tiles come into shared memory
//                      spatial            block   the grid
//     shared memory    temporal           step    every thread walks over the tile
//                      spatial            thread  the thread block
//     registers        temporal           point   unrolled: what a thread works on without looking elsewhere
//
// The index of a dimension is the sum of stride * counter over its loops; where factors leave remainders, indices
// beyond its extent occur and are skipped.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapping/tile.hpp"
#include "workload/einsum.hpp"

namespace tilewright::cuda {

enum class Role { tile, block, step, thread, point };

struct KernelLoop {
    int dimension = 0;
    std::int64_t extent = 1;
    std::int64_t stride = 1;  ///< how far one step goes along the dimension
    Role role = Role::tile;
};

struct Tiling {
    std::vector<KernelLoop> loops;  ///< outermost first; none of extent 1
    int written = 0;                ///< the tensor of sums
    TensorSet staged;               ///< operands that go through shared memory; the others are read where they are
    Extents block_box{};            ///< iterations whose operands are in shared memory at a time
    Extents thread_box{};           ///< iterations of the point loops
    std::array<bool, kMaxDimensions> imperfect{};  ///< the loops of the dimension run beyond its extent

    std::vector<KernelLoop> with(Role role) const;
};

/// Requires a legal mapping (check()). Throws InputError(unsupported), saying why, for what is no GPU or no kernel of
/// this template: more or fewer than three memories, words that are not 32 bits wide, sums that leave the thread, a
/// result that is not addressed by one dimension per rank.
Tiling tiling_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

}  // namespace tilewright::cuda
