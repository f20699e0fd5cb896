// How tiles that overlap move, whichever loops move them (docs/model.md, "Perfect nests").
#pragma once

#include <cstdint>

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

/// Words of the tile that stay when it moves along `dimension` by `stride` iterations.
double kept_words(const lean::TensorForm& form, const Extents& tile, int dimension, double stride);

/// All dimensions that move the ranks which `dimension` moves.
std::uint32_t rank_of(const lean::TensorForm& form, int dimension);

/// Once a dimension of another rank has moved the tile, no later advance can be a slide or stand still: it would have
/// to undo that move. Only where all coefficients are positive and every dimension moves one rank.
bool settles_early(const lean::TensorForm& form);

}  // namespace tilewright::optimal
