#include "arch/widths.hpp"

#include <numeric>

#include "base/numbers/checked.hpp"

namespace tilewright {

double words_per_access(const Tensor& tensor, const Memory& memory) {
    if (tensor.bits == 0) return static_cast<double>(memory.block_words);
    const std::int64_t row = checked_mul(memory.block_words, memory.word_bits);
    const std::int64_t bits = bits_of(tensor, memory);
    const std::int64_t whole_words = row / bits;
    if (whole_words > 0) return static_cast<double>(whole_words);
    return 1.0 / static_cast<double>(ceil_div(bits, row));
}

std::optional<double> bandwidth_scale(const Tensor& tensor, const Memory& memory) {
    auto scale = memory.bandwidth_scale.find(tensor.name);
    if (scale == memory.bandwidth_scale.end() && tensor.written) scale = memory.bandwidth_scale.find("Outputs");
    return scale == memory.bandwidth_scale.end() ? std::nullopt : std::optional(scale->second);
}

double bandwidth_share(const Tensor& tensor, const Memory& memory) {
    const double share = bandwidth_scale(tensor, memory).value_or(1.0);
    if (tensor.bits == 0) return share;
    return share * static_cast<double>(bits_of(tensor, memory)) / static_cast<double>(memory.word_bits);
}

double link_share(const Tensor& tensor, const Link& link) {
    return tensor.bits == 0 ? 1.0 : static_cast<double>(tensor.bits) / static_cast<double>(link.word_bits);
}

Capacity capacity_of(const Memory& memory, const Einsum& einsum) {
    std::int64_t unit_bits = memory.word_bits;
    for (const Tensor& tensor : einsum.tensors) unit_bits = std::gcd(unit_bits, bits_of(tensor, memory));
    Capacity capacity;
    capacity.units_per_word = memory.word_bits / unit_bits;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        capacity.per_word[t] = bits_of(einsum.tensors[t], memory) / unit_bits;
    if (const std::optional<std::int64_t> usable = memory.usable_words(); usable && !memory.spreads_only) {
        capacity.usable = checked_mul(*usable, capacity.units_per_word);
        capacity.least =
            static_cast<double>(*usable) * memory.min_utilization * static_cast<double>(capacity.units_per_word);
    }
    return capacity;
}

}  // namespace tilewright
