// First words: words of a result coming to a memory for the first time. They are not filled from outside and need no
// read before their update (docs/model.md).
//
// For overlapping tiles that is the size of a union of tiles. It depends on the order of loops only if an outer fan-out
// spreads the rank, too: such a union is bounded from both sides.
// Moves of overlapping tiles, for any loops (docs/model.md, "Perfect nests").
#pragma once

#include <cstdint>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

struct FirstWordsRange {
    FirstWords least;
    FirstWords most;
};

/// Of a delivery to memory `level` with a tile of `loops`; nothing for operands.
FirstWordsRange first_words(const Charges& charges, int tensor, int level, const Extents& loops);

/// Words of the tile kept when it moves along `dimension` by `stride` iterations.
double kept_words(const lean::TensorForm& form, const Extents& tile, int dimension, double stride);

/// All dimensions moving the ranks of `dimension`.
std::uint32_t rank_of(const lean::TensorForm& form, int dimension);

/// Once a dimension of another rank has moved the tile, no later advance slides or stands still: it would have to undo
/// that move. Requires positive coefficients and one rank per dimension.
bool settles_early(const lean::TensorForm& form);

}  // namespace tilewright::optimal
