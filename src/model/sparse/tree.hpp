// The tree of fibres that a format makes of a tile, and what its ranks take.
//
// The levels of a tile are the loops inside its memory that move the tensor, outermost first; where several dimensions
// move one rank (windows), all its loops are one level, as wide as the tile. A format's ranks take levels from the
// outside, the innermost rank all that are left; of fewer levels than ranks the innermost ranks take one each.
// (`inner_to_outer`: from the inside, and the outermost rank takes the rest.) A rank with lists of dimensions takes all
// neighbouring levels of one of its lists.
//
// A fibre is written where something in it is not zero; UB writes all of them.
#pragma once

#include <vector>

#include "model/sparse/avoided.hpp"
#include "sparse/costs.hpp"
#include "sparse/design.hpp"

namespace tilewright::sparse {

/// One rank of a tree.
struct Fibres {
    std::int64_t count = 1;   ///< of them in the tile, were nothing left out
    std::int64_t places = 1;  ///< of each; 1: the rank is not used
    LoopSet whole = 0;        ///< what one of them holds
    LoopSet below = 0;        ///< what one place holds
    bool has_data = false;    ///< its places hold the data themselves
};

/// By rank, innermost first, of the tile inside loop `first`.
std::vector<Fibres> tree_of(const Nest& nest, int tensor, const TensorFormat& format, int first);

/// Words that each rank takes of one tile, on average, where `needs` are met and as shares of all cases, but
/// for pinned loops.
std::vector<RankWords> expected_words(const TensorFormat& format, const std::vector<Fibres>& tree, int tensor,
                                      const Needs& needs, Chances& chances, Pinned pinned = {});

/// Words that each rank takes at most of a tile with so many elements that are not zero.
std::vector<RankWords> most_words(const TensorFormat& format, const std::vector<Fibres>& tree, std::int64_t occupied);

/// Bits of these words.
double bits_of(const TensorFormat& format, const std::vector<RankWords>& words);

}  // namespace tilewright::sparse
