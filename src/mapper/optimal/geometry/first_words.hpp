// First words: words of a result coming to a memory for the first time. They are not filled from outside and need no
// read before their update (docs/model.md).
//
// For overlapping tiles that is the size of a union of tiles. It depends on the order of loops only if an outer fan-out
// spreads the rank, too: such a union is bounded from both sides.
#pragma once

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

struct FirstWordsRange {
    FirstWords least;
    FirstWords most;
};

/// Of a delivery to memory `level` with a tile of `loops`; nothing for operands.
FirstWordsRange first_words(const Charges& charges, int tensor, int level, const Extents& loops);

}  // namespace tilewright::optimal
