// Words in blocks that share a scale: 4-bit words and 8 bits of scale for every 32 of them, as MX and GGUF have them
// (docs/model.md, rule 20). A block is of neighbours along the innermost axis of a tensor, and a word of it then has a
// fraction of bits: 4 1/4.
//
// All else knows words of whole bits. So layers and machines are said in parts of a bit: in quarters these words have
// 17 parts, those of a 16-bit memory 64, and no mapping costs more or less by that.
//
//     const std::vector<WordBits> moved = moved_bits(einsum, formats);       // 17 for 4, ...
//     const std::int64_t parts = parts_of_bit(moved);                        // 4
//     evaluate(in_parts(einsum, moved, parts), in_parts(architecture, parts), mapping);
//
// Pure functions; thread-safe. All of them throw OverflowError.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "workload/einsum.hpp"
#include "workload/words.hpp"

namespace tilewright {

/// "blocks of 32 words with scales of 8 bits in 'Weights'"; "" where no tensor has any.
std::string blocks_in(const Einsum& einsum, const BlockFormats& formats);

/// So many bits for so many words, in lowest terms. 0 bits: words are as wide as those of each memory.
struct WordBits {
    std::int64_t bits = 0;
    std::int64_t words = 1;

    double each() const { return static_cast<double>(bits) / static_cast<double>(words); }
    bool operator==(const WordBits&) const = default;
};

/// The axis along which blocks lie: the innermost one of more than one word; the last where there is none, -1 where the
/// tensor has no axes.
int block_axis(const Einsum& einsum, const Tensor& tensor);

/// Blocks in a row of so many words, the last one perhaps in part.
std::int64_t blocks_in_row(std::int64_t words, const BlockFormat& format);

/// Of a row of `width` words: width * bits + blocks * scale. Requires a format that is given and words of some bits.
WordBits bits_in_row(std::int64_t bits, const BlockFormat& format, std::int64_t width);

/// By tensor: what a word takes that moves, which is its share of the tensor's row with all its scales.
std::vector<WordBits> moved_bits(const Einsum& einsum, const BlockFormats& formats);

/// By tensor: the least that a word takes in any tile.
std::vector<WordBits> least_bits(const Einsum& einsum, const BlockFormats& formats);

/// Words of a tile of so many iterations by dimension along the tensor's block_axis().
std::int64_t row_words(const Einsum& einsum, const Tensor& tensor, std::span<const std::int64_t> extents);

/// The least number of parts of a bit of which all these words have whole ones.
std::int64_t parts_of_bit(std::span<const WordBits> bits);

/// The machine with so much more room where scales lie that every tile with room for its whole scales has room when
/// they take what words take that move.
Architecture with_room_for_scales(Architecture architecture, const Einsum& einsum, const BlockFormats& formats);

/// The layer with words of so many parts, and what of them is scales. Requires parts_of_bit(bits) to divide `parts`.
Einsum in_parts(Einsum einsum, std::span<const WordBits> bits, std::int64_t parts);

/// The machine with words of memories and links in parts; what they cost, hold and move stays.
Architecture in_parts(Architecture architecture, std::int64_t parts);

}  // namespace tilewright
