// Bytes of a model's weights and caches, from its cascade's tensors.
//
// Each repeat of a block has weights and caches of its own: Llama-3-8B keeps 2 * 8 heads * 128 words of 32 blocks for
// every token, 131,072 bytes in 16 bits; its 8,030,261,248 weights take 4,266,076,288 bytes with 4 bits each and 8 bits
// of scale for every 32. Activations are not counted. Pure; thread-safe.
#pragma once

#include <vector>

#include "workload/cascade/cascade.hpp"
#include "workload/widths.hpp"
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

// Word widths of weights and caches in serving: e.g. 4 bits and a scale of 8 for every 32 of them.
//
//     Cascade cascade = cascade_at("llama3-8b", point);
//     const std::vector<BlockFormat> blocks =
//         set_widths(cascade, {{"*", "Weights", 4, {32, 8}}, {"*norm*", "Weights", 16}, {"*", "Cache", 8}});
//     footprint_of(cascade, 16, blocks).weight_bytes;
//
// Activations are as wide as the machine's words. Pure functions; thread-safe.

/// Sets the widths in order, in tensors and operands: for the same tensor the later one counts. TensorWidth::tensor is
/// "Weights" or "Cache", all tensors of the role, or a tensor's name; ::layers are einsums using them ("*": unused
/// tables too). Returns the blocks by tensor of the cascade. Throws InputError(unknown_name).
std::vector<BlockFormat> set_widths(Cascade& cascade, const std::vector<TensorWidth>& widths);

/// Of an einsum's operands. `blocks`: by tensor of the cascade.
BlockFormats blocks_of(const CascadeEinsum& einsum, const std::vector<BlockFormat>& blocks);

}  // namespace tilewright::llm
