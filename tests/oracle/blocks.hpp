// The judge of words in blocks (arch/blocks.hpp, model/exact/blocks.hpp): goes through every word of a small tensor or
// tile and notes which scale it needs. Shares nothing with what it judges.
#pragma once

#include <cstdint>

#include "mapping/mapping.hpp"
#include "workload/einsum.hpp"

namespace tilewright::oracle {

/// Words, and the bits of all of them with their scales.
struct HeldWords {
    std::int64_t words = 0;
    std::int64_t bits = 0;
};

/// `of_block` neighbours share a scale of `scale_bits`.
struct Blocks {
    std::int64_t of_block = 1;
    std::int64_t scale_bits = 0;
};

/// What the loops inside node `position` of the mapping touch of the tensor in their first run, with all words between;
/// position -1: what all loops do. Requires a tensor that says how wide its words are.
HeldWords words_in_blocks(const Einsum& einsum, const Mapping& mapping, int position, int tensor, const Blocks& blocks);

}  // namespace tilewright::oracle
