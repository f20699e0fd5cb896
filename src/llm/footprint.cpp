#include "llm/footprint.hpp"

#include "base/numbers/checked.hpp"

namespace tilewright::llm {
namespace {

// Of the block that uses it; tables of which only rows are looked at are there once.
std::int64_t copies_of(const Cascade& cascade, const CascadeTensor& tensor) {
    if (!tensor.readers.empty()) return repeats_of(cascade, tensor.readers.front().einsum);
    if (!tensor.writers.empty()) return repeats_of(cascade, tensor.writers.front().einsum);
    return 1;
}

double bytes_of(const Cascade& cascade, const CascadeTensor& tensor, std::int64_t word_bits) {
    constexpr double kBitsOfByte = 8.0;
    const std::int64_t words = checked_mul(words_of(tensor), copies_of(cascade, tensor));
    return static_cast<double>(words) * static_cast<double>(tensor.bits > 0 ? tensor.bits : word_bits) / kBitsOfByte;
}

}  // namespace

Footprint footprint_of(const Cascade& cascade, std::int64_t word_bits) {
    Footprint sum;
    for (const CascadeTensor& tensor : cascade.tensors) {
        if (tensor.role == TensorRole::weight) sum.weight_bytes += bytes_of(cascade, tensor, word_bits);
        if (tensor.role == TensorRole::cache) sum.cache_bytes += bytes_of(cascade, tensor, word_bits);
    }
    return sum;
}

}  // namespace tilewright::llm
