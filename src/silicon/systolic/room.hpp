// What a tile may fill of a scratchpad and an accumulator, in rows as wide as the array.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "silicon/systolic/machine.hpp"
#include "silicon/systolic/tiled_layer.hpp"

namespace tilewright::silicon {

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

/// What a tile may fill: of the nearest memory inside DRAM that keeps inputs, and of the one that keeps results next to
/// the array's rows; `keep`: tensors by level, as constraints demand. Nothing where a memory is unlimited or missing.
std::optional<Room> room_of(const Einsum& einsum, const Architecture& architecture, const std::vector<TensorSet>& keep,
                            const SystolicMachine& machine);

}  // namespace tilewright::silicon
