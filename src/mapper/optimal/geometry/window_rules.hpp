// Moves of overlapping tiles, for any loops (docs/model.md, "Perfect nests").
#pragma once

#include <cstdint>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

/// Words of the tile kept when it moves along `dimension` by `stride` iterations.
double kept_words(const lean::TensorForm& form, const Extents& tile, int dimension, double stride);

/// All dimensions moving the ranks of `dimension`.
std::uint32_t rank_of(const lean::TensorForm& form, int dimension);

/// Once a dimension of another rank has moved the tile, no later advance slides or stands still: it would have to undo
/// that move. Requires positive coefficients and one rank per dimension.
bool settles_early(const lean::TensorForm& form);

}  // namespace tilewright::optimal
