// Tiles: the box of iterations of the loops inside some point of a mapping, and a tensor's words in it.
//
// A box is its extent per dimension. With imperfect factors it is the largest one that occurs: the product of the
// extents inside, at most the dimension. Pure functions; thread-safe.
//
//     const std::vector<Extents> inside = extents_inside(einsum, mapping);
//     box_words(einsum.tensors[t], inside[i])    // mapping.nodes[i] is a Store: its tile of tensor t
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright {

/// Extent per dimension; 1 beyond the last dimension of the einsum.
using Extents = std::array<std::int64_t, kMaxDimensions>;

Extents whole_extents(const Einsum& einsum);

/// For every node of the mapping, the box inside it (without a loop itself): the tile of a Store, one step of a Loop. A
/// last additional entry is a single iteration. Works for uneven nests too.
std::vector<Extents> extents_inside(const Einsum& einsum, const Mapping& mapping);

/// The tile of every Store, in the order of the nodes (for even mappings: by memory).
std::vector<Extents> store_extents(const Einsum& einsum, const Mapping& mapping);

/// Words of the bounding box of `tensor` over a box of iterations. Throws OverflowError.
std::int64_t box_words(const Tensor& tensor, const Extents& extents);

}  // namespace tilewright
