// A valid mapping to start a local search from. Internal to mapper/.
#pragma once

#include "mapper/chunks.hpp"

namespace tilewright {

/// Draws mappings until one is valid and now and then, where none is, makes the tiles of one as small as they get.
/// Returns the score of `point`, infinite when none was found before the chunk was over.
Score draw_start(Chunk& chunk, PerfectPoint& point);

}  // namespace tilewright
