#include "arch/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

std::int64_t axis_words(const Rank& rank, std::span<const std::int64_t> extents) {
    std::int64_t width = 1;
    for (const Term& term : rank.terms) {
        const std::int64_t steps = extents[term.dimension] - 1;
        width = checked_add(width, std::abs(checked_mul(term.coefficient, steps)));
    }
    return width;
}

std::vector<std::int64_t> whole(const Einsum& einsum) {
    std::vector<std::int64_t> extents;
    for (const Dimension& one : einsum.dimensions) extents.push_back(one.extent);
    return extents;
}

BlockFormat format_of(const BlockFormats& formats, std::size_t tensor) {
    return tensor < formats.size() ? formats[tensor] : BlockFormat{};
}

// `in_blocks`: of a tensor in blocks, from the words of its row.
template <class InBlocks>
std::vector<WordBits> bits_by_tensor(const Einsum& einsum, const BlockFormats& formats, const InBlocks& in_blocks) {
    const std::vector<std::int64_t> extents = whole(einsum);
    std::vector<WordBits> bits;
    for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
        const Tensor& tensor = einsum.tensors[t];
        const BlockFormat format = format_of(formats, t);
        bits.push_back(format.is_given() ? in_blocks(tensor.bits, format, row_words(einsum, tensor, extents))
                                         : WordBits{tensor.bits, 1});
    }
    return bits;
}

void set_parts(Link& link, std::int64_t parts) {
    link.word_bits = checked_mul(link.word_bits, parts);
    if (link.wire_energy_pj_per_bit_mm) *link.wire_energy_pj_per_bit_mm /= static_cast<double>(parts);
}

// Upper bound on the width of moving words relative to the narrowest tile's.
double widening(const std::vector<WordBits>& moved, const std::vector<WordBits>& least) {
    double most = 1.0;
    for (std::size_t t = 0; t < moved.size(); ++t)
        if (moved[t] != least[t]) most = std::max(most, moved[t].each() / least[t].each());
    return most;
}

}  // namespace

std::string blocks_in(const Einsum& einsum, const BlockFormats& formats) {
    for (std::size_t t = 0; t < formats.size(); ++t)
        if (formats[t].is_given())
            return fmt::format("blocks of {} words with scales of {} bits in '{}'", formats[t].words,
                               formats[t].scale_bits, einsum.tensors[t].name);
    return "";
}

int block_axis(const Einsum& einsum, const Tensor& tensor) {
    const std::vector<std::int64_t> extents = whole(einsum);
    for (int r = static_cast<int>(tensor.ranks.size()); r-- > 0;)
        if (axis_words(tensor.ranks[r], extents) > 1) return r;
    return static_cast<int>(tensor.ranks.size()) - 1;
}

std::int64_t blocks_in_row(std::int64_t words, const BlockFormat& format) { return ceil_div(words, format.words); }

WordBits bits_in_row(std::int64_t bits, const BlockFormat& format, std::int64_t width) {
    const std::int64_t scales = checked_mul(blocks_in_row(width, format), format.scale_bits);
    const std::int64_t all = checked_add(checked_mul(bits, width), scales);
    const std::int64_t common = std::gcd(all, width);
    return {all / common, width / common};
}

std::vector<WordBits> moved_bits(const Einsum& einsum, const BlockFormats& formats) {
    return bits_by_tensor(einsum, formats, bits_in_row);
}

std::vector<WordBits> least_bits(const Einsum& einsum, const BlockFormats& formats) {
    // Of rows shorter than a block the longest, otherwise whole blocks, have the minimum.
    return bits_by_tensor(einsum, formats, [](std::int64_t bits, const BlockFormat& format, std::int64_t width) {
        return bits_in_row(bits, format, std::min(width, format.words));
    });
}

std::int64_t row_words(const Einsum& einsum, const Tensor& tensor, std::span<const std::int64_t> extents) {
    const int axis = block_axis(einsum, tensor);
    return axis < 0 ? 1 : axis_words(tensor.ranks[static_cast<std::size_t>(axis)], extents);
}

std::int64_t parts_of_bit(std::span<const WordBits> bits) {
    std::int64_t parts = 1;
    for (const WordBits& one : bits) parts = checked_mul(parts / std::gcd(parts, one.words), one.words);
    return parts;
}

Architecture with_room_for_scales(Architecture architecture, const Einsum& einsum, const BlockFormats& formats) {
    const double factor = widening(moved_bits(einsum, formats), least_bits(einsum, formats));
    if (factor <= 1.0) return architecture;
    for (Memory& memory : architecture.memories) {
        const std::optional<std::int64_t> usable = memory.usable_words();
        if (!usable || !memory.holds_scales) continue;
        memory.set_usable_words(static_cast<std::int64_t>(std::ceil(static_cast<double>(*usable) * factor)) + 1);
    }
    return architecture;
}

Einsum in_parts(Einsum einsum, std::span<const WordBits> bits, std::int64_t parts) {
    for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
        Tensor& tensor = einsum.tensors[t];
        const std::int64_t all = checked_mul(bits[t].bits, parts / bits[t].words);
        tensor.scale_bits = all - checked_mul(tensor.bits, parts);
        tensor.bits = all;
    }
    return einsum;
}

Architecture in_parts(Architecture architecture, std::int64_t parts) {
    for (Memory& memory : architecture.memories) {
        memory.word_bits = checked_mul(memory.word_bits, parts);
        set_parts(memory.link, parts);
        if (memory.update_link) set_parts(*memory.update_link, parts);
    }
    return architecture;
}

}  // namespace tilewright
