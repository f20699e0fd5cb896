// The tiling that Gemmini's own software chooses (tiled_conv_auto and tiled_matmul_auto of its header), step for step:
// what a mapping of ours is compared with.
//
// It fills half of the scratchpad and half of the accumulator, so that the other halves can load, and looks at no time.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>

#include "silicon/systolic/room.hpp"
#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon::gemmini {

/// `layer` with Gemmini's own tile and order of loops.
TiledLayer tiled_by_gemmini(const TiledLayer& layer, const Room& room = {});

/// A product's tile in whole blocks of `width`, which is all that its arguments can say: rounded down, at least one.
void round_to_blocks(TiledLayer& layer, std::int64_t width);

}  // namespace tilewright::silicon::gemmini
