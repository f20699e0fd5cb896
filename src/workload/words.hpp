// What the words of a layer are besides the widths that its tensors say. Plain values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "workload/block_format.hpp"

namespace tilewright {

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
