// The tiling of Gemmini's own software (tiled_conv_auto and tiled_matmul_auto of its header), step for step: the
// baseline of our mappings.
//
// It fills half of the scratchpad and half of the accumulator, so that the other halves can load, without a time model.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "silicon/systolic/machine.hpp"
#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon::gemmini {

/// `layer` with Gemmini's own tile and loop order.
TiledLayer tiled_by_gemmini(const TiledLayer& layer, const Room& room = {});

/// Rounds a product's tile down to whole blocks of `width`, at least one: the resolution of its arguments.
void round_to_blocks(TiledLayer& layer, std::int64_t width);

// A tiled layer as arguments of Gemmini's own loops: tiled_conv's tile in pixels and channels, tiled_matmul's in blocks
// of the array.
//
//     # conv1: tiled_conv(batch_size, in_dim, ...)
//     batches 1, porows 7, pocols 16, pochs 64, krows 3, kcols 3, kchs 64
//
// Pure functions; thread-safe.

/// A YAML document with the function, its shape and tile, and the loop order in the spelling of DOSA's branch
/// (innermost first). `width`: rows and columns of the array.
std::string arguments_text(const std::string& name, const TiledLayer& layer, std::int64_t width);

/// Reason why Gemmini's own loops cannot run it, or "": a product's tile of partial blocks, images that are not square.
std::string problem_with(const TiledLayer& layer, std::int64_t width);

}  // namespace tilewright::silicon::gemmini
