// A tile's capacity in scratchpad and accumulator, in rows of the array's width.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "silicon/systolic/machine.hpp"
#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon {

/// Capacity of one tile: rows of `width` words.
struct Room {
    std::int64_t width = 16;
    std::int64_t scratchpad_rows = 8192;  ///< half of 256 KiB
    std::int64_t accumulator_rows = 512;  ///< half of 64 KiB of 32-bit sums
};

/// Rows of a tile; a window of q rows at stride s under a kernel of S takes q * s + S - 1 pixel rows.
std::int64_t scratchpad_rows(const TiledLayer& layer, const AxisExtents& tile, const Room& room);
std::int64_t accumulator_rows(const TiledLayer& layer, const AxisExtents& tile, const Room& room);
bool fits(const TiledLayer& layer, const AxisExtents& tile, const Room& room);

/// Tile capacity of the nearest memory inside DRAM keeping inputs, and of the one keeping results next to the array's
/// rows; `keep`: tensors by level, as constrained. Empty if a memory is unlimited or missing.
std::optional<Room> room_of(const Einsum& einsum, const Architecture& architecture, const std::vector<TensorSet>& keep,
                            const SystolicMachine& machine);

}  // namespace tilewright::silicon
