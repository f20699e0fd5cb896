// A valid starting point for a local search. Internal to mapper/.
#pragma once

#include "mapper/chunks.hpp"

namespace tilewright {

/// Draws mappings until one is valid; at intervals shrinks the tiles of an invalid one to the minimum. Returns the
/// score of `point`, infinite if the chunk ended first.
Score draw_start(Chunk& chunk, TilingPoint& point);

/// Moves of one annealing, given those wanted: a short search had better cool several times than be caught hot.
int moves_per_start(int moves, const Budget& budget);

}  // namespace tilewright
