// Tiling: a mapping as a GPU kernel: loops shared by the blocks of a grid, loops shared by the threads of a block, and
// loops run by each thread.
//
//     memory           loops below it     in the kernel
//     device memory    temporal           tile    run by every block; new tiles come into shared memory
//                      spatial            block   the grid
//     shared memory    temporal           step    every thread walks over the tile
//                      spatial            thread  the thread block
//     registers        temporal           point   unrolled: a thread's register-only work
//
// The index of a dimension is the sum of stride * counter over its loops; with remainders, indices beyond its extent
// are skipped.
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
    std::int64_t stride = 1;  ///< step along the dimension
    Role role = Role::tile;
};

struct Tiling {
    std::vector<KernelLoop> loops;                 ///< outermost first; none of extent 1
    int written = 0;                               ///< the tensor of sums
    TensorSet staged;                              ///< operands through shared memory; the others are read in place
    Extents block_box{};                           ///< iterations with operands in shared memory at a time
    Extents thread_box{};                          ///< iterations of the point loops
    std::array<bool, kMaxDimensions> imperfect{};  ///< the loops of the dimension run beyond its extent

    std::vector<KernelLoop> with(Role role) const;
};

/// Requires a legal mapping (check()). Throws InputError(unsupported), with the reason, beyond this GPU template: a
/// number of memories other than three, words other than 32 bits, sums leaving the thread, a result not addressed by
/// one dimension per rank.
Tiling tiling_of(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping);

}  // namespace tilewright::cuda
