// A tile and a split of a matrix product as a mapping on the levels of its machine, and back.
//
// Outside the multiprocessors lie the waves and the steps of the reduction; blocks are spread over the multiprocessors,
// parts of a split reduction among them; inside, a tile is spread over the lanes.
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

/// `keep`: tensors by level. Nothing where the layer has rows of more than one dimension, or a reduction of more.
std::optional<Mapping> mapping_of(const BlockMapping& blocks, const Einsum& einsum, const Architecture& architecture,
                                  const std::vector<TensorSet>& keep, const KernelMachine& machine);

/// The tile of a block is what the multiprocessor's memory holds, the split what is spread of the reduction. A text
/// says why there is none: the layer is no matrix product, or the mapping is uneven.
std::variant<BlockMapping, std::string> blocks_of(const Einsum& einsum, const Architecture& architecture,
                                                  const Mapping& mapping, const KernelMachine& machine);

}  // namespace tilewright::silicon
