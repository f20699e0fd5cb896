#include "arch/widths.hpp"

#include <numeric>

#include "base/numbers/checked.hpp"
#include "workload/layer_roles.hpp"

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

std::int64_t buffers_of(const Memory& memory, const Einsum& einsum, int tensor) {
    if (memory.buffers.empty()) return 1;
    auto found = memory.buffers.find(einsum.tensors[tensor].name);
    const OperandRole role = layer_roles(einsum).operands[tensor];
    if (found == memory.buffers.end() && role != OperandRole::none)
        found = memory.buffers.find(std::string(kOperandNames[static_cast<std::size_t>(role)]));
    return found == memory.buffers.end() ? 1 : found->second;
}

std::vector<TileBound> tile_bounds(const Memory& memory, const Einsum& einsum) {
    std::vector<TileBound> bounds;
    for (const auto& [name, rule] : memory.tile) {
        const int d = find_dimension(einsum, name);
        if (d < 0) continue;
        bounds.push_back({d, {}, rule});
        for (int t = 0; t < einsum.tensor_count(); ++t)
            if (is_relevant(einsum.tensors[t], d)) bounds.back().tensors.add(t);
    }
    return bounds;
}

std::int64_t Capacity::units(int tensor, std::int64_t tile_words) const {
    return checked_mul(ceil_div(checked_mul(tile_words, per_word[tensor]), multiple[tensor]), multiple[tensor]);
}

Capacity capacity_of(const Memory& memory, const Einsum& einsum) {
    std::int64_t unit_bits = memory.word_bits;
    for (const Tensor& tensor : einsum.tensors) unit_bits = std::gcd(unit_bits, bits_of(tensor, memory));
    Capacity capacity;
    capacity.units_per_word = memory.word_bits / unit_bits;
    const std::int64_t alignment = checked_mul(memory.alignment_words, capacity.units_per_word);
    for (int t = 0; t < einsum.tensor_count(); ++t) {
        const std::int64_t buffers = buffers_of(memory, einsum, t);
        capacity.per_word[t] = checked_mul(bits_of(einsum.tensors[t], memory) / unit_bits, buffers);
        capacity.multiple[t] = memory.alignment_words == 1 ? 1 : checked_mul(alignment, buffers);
    }
    if (const std::optional<std::int64_t> usable = memory.usable_words(); usable && !memory.spreads_only) {
        capacity.usable = checked_mul(*usable, capacity.units_per_word);
        capacity.least =
            static_cast<double>(*usable) * memory.min_utilization * static_cast<double>(capacity.units_per_word);
    }
    return capacity;
}

}  // namespace tilewright
