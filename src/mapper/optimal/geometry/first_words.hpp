// First words: how many words of a result come to a memory for the first time. They are not filled from outside, and
// need not be read before they are updated (docs/model.md).
//
// Where tiles overlap, that is the size of a union of tiles. It depends on the order of loops only where some fan-out
// further outside spreads the rank, too: such a union is bounded from both sides.
#pragma once

#include "mapper/optimal/geometry/charges.hpp"

namespace tilewright::optimal {

struct FirstWordsRange {
    FirstWords least;
    FirstWords most;
};

/// Of a delivery to memory `level`, whose tile has `loops` inside; nothing for operands.
FirstWordsRange first_words(const Charges& charges, int tensor, int level, const Extents& loops);

}  // namespace tilewright::optimal
