// A valid mapping to start a local search from. Internal to mapper/.
#pragma once

#include "mapper/chunks.hpp"

namespace tilewright {

/// Draws mappings until one is valid and now and then, where none is, makes the tiles of one as small as they get.
/// Returns the score of `point`, infinite when none was found before the chunk was over.
Score draw_start(Chunk& chunk, TilingPoint& point);

/// How many moves one start of an annealer makes, of those it would like: a search that is soon over had better cool
/// down several times than be caught hot.
int moves_per_start(int moves, const Budget& budget);

}  // namespace tilewright
