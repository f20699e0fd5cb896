// Neighbouring words that share a scale: the 32 words and 8 bits of 4/32:8 (docs/model.md, rule 20). A plain value.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright {

struct BlockFormat {
    std::int64_t words = 0;  ///< that share a scale; 0: none do
    std::int64_t scale_bits = 0;

    bool is_given() const { return words > 0; }
    bool operator==(const BlockFormat&) const = default;
};

/// By tensor of an einsum, whose Tensor::bits are those of a word without its scale. Fewer than there are tensors: the
/// others have no blocks.
using BlockFormats = std::vector<BlockFormat>;

}  // namespace tilewright
