// The tiling of Gemmini's own software (tiled_conv_auto and tiled_matmul_auto of its header), step for step: the
// baseline of our mappings.
//
// It fills half of the scratchpad and half of the accumulator, so that the other halves can load, without a time model.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>

#include "silicon/systolic/room.hpp"
#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon::gemmini {

/// `layer` with Gemmini's own tile and loop order.
TiledLayer tiled_by_gemmini(const TiledLayer& layer, const Room& room = {});

/// Rounds a product's tile down to whole blocks of `width`, at least one: the resolution of its arguments.
void round_to_blocks(TiledLayer& layer, std::int64_t width);

}  // namespace tilewright::silicon::gemmini
