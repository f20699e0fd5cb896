#include "llm/footprint.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::llm {
namespace {

// Of its block; tables accessed by rows exist once.
std::int64_t copies_of(const Cascade& cascade, const CascadeTensor& tensor) {
    if (!tensor.readers.empty()) return repeats_of(cascade, tensor.readers.front().einsum);
    if (!tensor.writers.empty()) return repeats_of(cascade, tensor.writers.front().einsum);
    return 1;
}

// Along its innermost axis of more than one word.
std::int64_t row_words(const CascadeTensor& tensor) {
    const auto axis =
        std::find_if(tensor.shape.rbegin(), tensor.shape.rend(), [](std::int64_t one) { return one > 1; });
    return axis == tensor.shape.rend() ? 1 : *axis;
}

std::int64_t scale_bits(const CascadeTensor& tensor, const BlockFormat& blocks) {
    if (!blocks.is_given()) return 0;
    const std::int64_t row = row_words(tensor);
    return checked_mul(words_of(tensor) / row, checked_mul(ceil_div(row, blocks.words), blocks.scale_bits));
}

double bytes_of(const Cascade& cascade, const CascadeTensor& tensor, std::int64_t word_bits,
                const BlockFormat& blocks) {
    constexpr double kBitsOfByte = 8.0;
    const std::int64_t words = checked_mul(words_of(tensor), tensor.bits > 0 ? tensor.bits : word_bits);
    const std::int64_t bits = checked_add(words, scale_bits(tensor, blocks));
    return static_cast<double>(checked_mul(bits, copies_of(cascade, tensor))) / kBitsOfByte;
}

}  // namespace

Footprint footprint_of(const Cascade& cascade, std::int64_t word_bits, const std::vector<BlockFormat>& blocks) {
    Footprint sum;
    for (std::size_t t = 0; t < cascade.tensors.size(); ++t) {
        const CascadeTensor& tensor = cascade.tensors[t];
        const double bytes = bytes_of(cascade, tensor, word_bits, t < blocks.size() ? blocks[t] : BlockFormat{});
        if (tensor.role == TensorRole::weight) sum.weight_bytes += bytes;
        if (tensor.role == TensorRole::cache) sum.cache_bytes += bytes;
    }
    return sum;
}

}  // namespace tilewright::llm
