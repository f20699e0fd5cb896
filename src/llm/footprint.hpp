// Bytes of a model's weights and caches, from its cascade's tensors.
//
// Each repeat of a block has weights and caches of its own: Llama-3-8B keeps 2 * 8 heads * 128 words of 32 blocks for
// every token, 131,072 bytes in 16 bits; its 8,030,261,248 weights take 4,266,076,288 bytes with 4 bits each and 8 bits
// of scale for every 32. Activations are not counted. Pure; thread-safe.
#pragma once

#include <vector>

#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright::llm {

struct Footprint {
    double weight_bytes = 0.0;
    double cache_bytes = 0.0;

    bool operator==(const Footprint&) const = default;
};

/// `word_bits`: default word width. `blocks`: by tensor of the cascade, along its innermost axis of more than one word;
/// every row has whole scales. Throws OverflowError.
Footprint footprint_of(const Cascade& cascade, std::int64_t word_bits, const std::vector<BlockFormat>& blocks = {});

}  // namespace tilewright::llm
