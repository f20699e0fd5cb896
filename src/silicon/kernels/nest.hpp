// Conversion between a tile and split of an implicit matrix product and a mapping on its machine's levels.
//
// Outside the multiprocessors lie the waves and the reduction steps; blocks are spread over the multiprocessors, parts
// of a split reduction among them; inside, a tile is spread over the lanes.
//
// Pure functions; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mapping/mapping.hpp"
#include "silicon/kernels/product.hpp"

namespace tilewright::silicon {

/// `keep`: tensors by level. A tile is cut to a rectangle of the layer's dimensions (block_extents()). Empty for no
/// product, or an architecture without fan-outs to the multiprocessors and inside one.
std::optional<Mapping> mapping_of(const BlockMapping& blocks, const Einsum& einsum, const Architecture& architecture,
                                  const std::vector<TensorSet>& keep, const KernelMachine& machine);

/// A block's tile is the multiprocessor memory's contents, the split the spatial part of the reduction. Or the reason
/// for none: no matrix product, or an uneven mapping.
std::variant<BlockMapping, std::string> blocks_of(const Einsum& einsum, const Architecture& architecture,
                                                  const Mapping& mapping, const KernelMachine& machine);

}  // namespace tilewright::silicon
