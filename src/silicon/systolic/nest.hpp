// A tiled layer as a mapping on its machine's levels.
//
// Pure functions; thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "silicon/systolic/machine.hpp"
#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon {

/// Loops around tiles at the outermost memory; inside, blocks of output channels, the kernel, blocks of input channels,
/// then output rows and columns: the hardware's sweep of a tile. Empty if the factors cannot cover a dimension exactly.
std::optional<Mapping> mapping_of(const TiledLayer& layer, const Einsum& einsum, const Architecture& architecture,
                                  const std::vector<TensorSet>& keep, const SystolicMachine& machine);

}  // namespace tilewright::silicon
