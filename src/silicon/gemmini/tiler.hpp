// The tiling that Gemmini's own software chooses (tiled_conv_auto and tiled_matmul_auto of its header), step for step:
// what a mapping of ours is compared with.
//
// It fills half of the scratchpad and half of the accumulator, so that the other halves can load, and looks at no time.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>

#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon::gemmini {

/// What one tile may fill: rows of `width` words.
struct Room {
    std::int64_t width = 16;
    std::int64_t scratchpad_rows = 8192;  ///< half of 256 KiB
    std::int64_t accumulator_rows = 512;  ///< half of 64 KiB of 32-bit sums
};

/// Rows that a tile takes; a window of q rows at stride s under a kernel of S takes q * s + S - 1 pixel rows.
std::int64_t scratchpad_rows(const TiledLayer& layer, const AxisExtents& tile, const Room& room);
std::int64_t accumulator_rows(const TiledLayer& layer, const AxisExtents& tile, const Room& room);
bool fits(const TiledLayer& layer, const AxisExtents& tile, const Room& room);

/// `layer` with Gemmini's own tile and order of loops.
TiledLayer tiled_by_gemmini(const TiledLayer& layer, const Room& room = {});

/// A product's tile in whole blocks of `width`, which is all that its arguments can say: rounded down, at least one.
void round_to_blocks(TiledLayer& layer, std::int64_t width);

}  // namespace tilewright::silicon::gemmini
