// Remembered directions of a tile's last move (docs/model.md, windows). Internal to model/.
#pragma once

#include <cstdint>
#include <limits>

namespace tilewright::lean {

/// Otherwise a move, as one number for all ranks.
inline constexpr std::int64_t kNoDirection = std::numeric_limits<std::int64_t>::min();
/// Clashes with every move.
inline constexpr std::int64_t kOtherDirection = kNoDirection + 1;

}  // namespace tilewright::lean
