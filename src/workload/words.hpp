// Further properties of a layer's words, beside its tensors' widths. Plain values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilewright {

/// Neighbouring words with a common scale: the 32 words and 8 bits of 4/32:8 (docs/model.md, rule 20).
struct BlockFormat {
    std::int64_t words = 0;  ///< per scale; 0: no scales
    std::int64_t scale_bits = 0;

    bool is_given() const { return words > 0; }
    bool operator==(const BlockFormat&) const = default;
};

/// By tensor of an einsum, with Tensor::bits of a word without its scale. Missing entries: no blocks.
using BlockFormats = std::vector<BlockFormat>;

/// By tensor: bits of a partial sum; 0: as many as of a final one.
using PartialBits = std::vector<std::int64_t>;

struct Words {
    PartialBits partial_bits;  ///< empty: partial sums are as wide as final ones
    BlockFormats blocks;       ///< empty: no scales

    bool has_partial_sums() const {
        return std::ranges::any_of(partial_bits, [](std::int64_t bits) { return bits > 0; });
    }
    bool has_blocks() const { return std::ranges::any_of(blocks, &BlockFormat::is_given); }
    bool operator==(const Words&) const = default;
};

}  // namespace tilewright
