#include "schedule/problem/word_bits.hpp"

#include <algorithm>
#include <string_view>

#include "base/numbers/checked.hpp"

namespace tilewright::schedule {
namespace {

WordBits bits_of(const ElementBytes& bytes) {
    return {8 * bytes.input, 8 * bytes.weight, 8 * bytes.output, 8 * bytes.partial_sum};
}

}  // namespace

WordBits word_bits(const MultiNpu& machine, const TileShape& layer) {
    return layer.bits.given() ? layer.bits : bits_of(machine.element_bytes);
}

WordBits word_bits(const MultiNpu& machine, const Einsum& einsum, const PartialBits& partial) {
    WordBits bits = bits_of(machine.element_bytes);
    bool any = false;
    const auto take = [&](std::int64_t said, std::int64_t& own) {
        any = any || said > 0;
        if (said > 0) own = said;
    };
    const auto tensor = [&](std::string_view name) { return find_tensor(einsum, name); };
    take(einsum.tensors[tensor("Inputs")].bits, bits.input);
    take(einsum.tensors[tensor("Weights")].bits, bits.weight);
    const int outputs = tensor("Outputs");
    take(einsum.tensors[outputs].bits, bits.output);
    bits.partial_sum = std::max(bits.partial_sum, bits.output);
    if (!partial.empty()) take(partial[outputs], bits.partial_sum);
    return any ? bits : WordBits{};
}

std::int64_t packed_bytes(std::int64_t words, std::int64_t bits) {
    if (bits % 8 == 0) return checked_mul(words, bits / 8);
    return ceil_div(checked_mul(words, bits), 8);
}

}  // namespace tilewright::schedule
