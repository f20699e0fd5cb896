// What the words of a layer are besides the widths that its tensors say. Plain values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilewright {

/// Neighbouring words that share a scale: the 32 words and 8 bits of 4/32:8 (docs/model.md, rule 20).
struct BlockFormat {
    std::int64_t words = 0;  ///< that share a scale; 0: none do
    std::int64_t scale_bits = 0;

    bool is_given() const { return words > 0; }
    bool operator==(const BlockFormat&) const = default;
};

/// By tensor of an einsum, whose Tensor::bits are those of a word without its scale. Fewer than there are tensors: the
/// others have no blocks.
using BlockFormats = std::vector<BlockFormat>;

/// By tensor: bits of a word while more is to be added to it; 0: as many as of a final one.
using PartialBits = std::vector<std::int64_t>;

struct Words {
    PartialBits partial_bits;  ///< empty: partial sums are as wide as final ones
    BlockFormats blocks;       ///< empty: words have no scales

    bool has_partial_sums() const {
        return std::ranges::any_of(partial_bits, [](std::int64_t bits) { return bits > 0; });
    }
    bool has_blocks() const { return std::ranges::any_of(blocks, &BlockFormat::is_given); }
    bool operator==(const Words&) const = default;
};

}  // namespace tilewright
