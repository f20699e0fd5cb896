// Words in blocks with a common scale: 4-bit words and 8 bits of scale for every 32 of them, as in MX and GGUF
// (docs/model.md, rule 20). A block lies along a tensor's innermost axis; its words then have fractional bits: 4 1/4.
//
// Everything else takes integer bits. So layers and machines are expressed in parts of a bit: in quarters these words
// have 17 parts, those of a 16-bit memory 64, with unchanged costs.
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

/// "blocks of 32 words with scales of 8 bits in 'Weights'", or "".
std::string blocks_in(const Einsum& einsum, const BlockFormats& formats);

/// Bits per words, in lowest terms. 0 bits: each memory's word width.
struct WordBits {
    std::int64_t bits = 0;
    std::int64_t words = 1;

    double each() const { return static_cast<double>(bits) / static_cast<double>(words); }
    bool operator==(const WordBits&) const = default;
};

/// The axis of blocks: the innermost one of more than one word; the last if there is none, -1 for a tensor without
/// axes.
int block_axis(const Einsum& einsum, const Tensor& tensor);

/// Blocks in a row of this many words, the last one possibly partial.
std::int64_t blocks_in_row(std::int64_t words, const BlockFormat& format);

/// Of a row of `width` words: width * bits + blocks * scale. Requires a given format and words of some bits.
WordBits bits_in_row(std::int64_t bits, const BlockFormat& format, std::int64_t width);

/// By tensor: bits of a moving word, its share of the tensor's row with all scales.
std::vector<WordBits> moved_bits(const Einsum& einsum, const BlockFormats& formats);

/// By tensor: minimum bits of a word in any tile.
std::vector<WordBits> least_bits(const Einsum& einsum, const BlockFormats& formats);

/// Words of a tile of these iterations along the tensor's block_axis().
std::int64_t row_words(const Einsum& einsum, const Tensor& tensor, std::span<const std::int64_t> extents);

/// Least common denominator of these widths.
std::int64_t parts_of_bit(std::span<const WordBits> bits);

/// The machine with extra capacity for scales: every tile that fits with its whole scales fits at the moving words'
/// width.
Architecture with_room_for_scales(Architecture architecture, const Einsum& einsum, const BlockFormats& formats);

/// The layer with words in parts, scales marked. Requires parts_of_bit(bits) to divide `parts`.
Einsum in_parts(Einsum einsum, std::span<const WordBits> bits, std::int64_t parts);

/// The machine with words of memories and links in parts; costs, capacities and transfers stay.
Architecture in_parts(Architecture architecture, std::int64_t parts);

}  // namespace tilewright
