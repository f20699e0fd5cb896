// One block of spatial loops: the neighbours below a memory that exist at a given moment, and where they sit on the
// mesh.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/exact/nest.hpp"

namespace tilewright {

/// One bit per dimension: set while every enclosing loop of the dimension is at its last iteration.
using LastMask = std::uint32_t;

/// A neighbour below a memory.
struct Neighbour {
    std::vector<std::int64_t> index;  ///< by block loop, outermost first
    std::int64_t linear = 0;          ///< among those that exist, row-major; decides the place on the mesh
    LastMask last = 0;                ///< its own mask: which of its tiles are the last of their dimension
};

/// The neighbours below memory `level` when the block is entered with mask `last`, in row-major order.
std::vector<Neighbour> neighbours(const Nest& nest, int level, LastMask last);

/// What the neighbours are packed into: the available mesh, or the mapped one where that is larger.
Mesh grid_of(const NestLevel& level);

/// Hops of the multicast tree that reaches the neighbours with these linear indices (group_hops in
/// model/exact/costs.hpp), which are packed densely into the grid. Takes time by their number, whatever the size of the
/// grid.
double tree_hops(const Mesh& grid, std::vector<std::int64_t> linear);

/// Sum of tree_hops over the numbers 0 to count - 1, each by itself; and the tree_hops of all of them together. Closed
/// forms. Requires count >= 1.
double hops_to_each(const Mesh& grid, std::int64_t count);
double hops_to_all(const Mesh& grid, std::int64_t count);

}  // namespace tilewright
