// Prices of words for searches: what zeros save of every access where it is decided word by word.
//
// An access that one element decides is done in a share of the cases that no tile changes; where a tile or several
// neighbours decide together, or a format has more than one rank, what is saved is never more than that. So the lean
// evaluator with these prices never says more than the exact account, and says the same where nothing but single words
// decides, formats have one rank of coordinates, runs or bits that leave nothing out, and no tile of theirs is a
// single word.
#pragma once

#include <vector>

#include "arch/architecture.hpp"
#include "model/lean/prices.hpp"
#include "sparse/design.hpp"
#include "workload/einsum.hpp"

namespace tilewright::sparse {

/// A memory's tile of a tensor.
struct TilePlace {
    int tensor = 0;
    int memory = 0;

    bool operator==(const TilePlace&) const = default;
};

/// Of a result's arrivals at a memory that are not a word's last ones, shares that are done at least; and that are done
/// or gated.
struct AgainShares {
    double done = 1.0;
    double running = 1.0;
};

struct WordPrices {
    lean::Prices prices;
    std::vector<std::vector<AgainShares>> again;  ///< by memory and tensor
    /// Tiles whose metadata is in the prices. Of a tile of one word there is none: such mappings may cost less.
    std::vector<TilePlace> with_metadata;
};

/// Of words in blocks that share a scale.
struct BlockWidths {
    std::int64_t parts_of_bit = 1;      ///< that einsum and machine are said in
    std::vector<double> stored_widths;  ///< stored_words.hpp; empty: no words are in blocks
};

/// `keeps`: by tensor and memory. `metadata`: with what each word's metadata costs at least in tiles of several words;
/// else of all mappings. `remainders`: of mappings with remainders, too, in which some elements may move more often
/// than others, and fibres may have a single place. Requires a density and a memory's design for every tensor and
/// memory. Throws Uncounted where the exact account counts no mapping that keeps tensors so.
WordPrices word_prices(const Einsum& einsum, const Architecture& architecture, const Design& design,
                       const std::vector<std::vector<bool>>& keeps, bool metadata, const BlockWidths& blocks = {},
                       bool remainders = false);

}  // namespace tilewright::sparse
