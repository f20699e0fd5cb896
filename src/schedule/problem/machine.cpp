#include "schedule/problem/machine.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright::schedule {
namespace {

WordBits bits_of(const ElementBytes& bytes) {
    return {8 * bytes.input, 8 * bytes.weight, 8 * bytes.output, 8 * bytes.partial_sum};
}

}  // namespace

std::int64_t operation_cycles(const MultiNpu& machine, const TileShape& tile) {
    if (machine.mapped.given()) return machine.mapped.source().cycles(tile);
    if (machine.latency.given()) return machine.latency.cycles(tile);
    const CoreArray& array = machine.array;
    std::int64_t steps = checked_mul(ceil_div(tile.in_c, array.in_channels), ceil_div(tile.out_c, array.out_channels));
    for (const std::int64_t factor : {tile.out_w, tile.out_h, tile.kernel_w, tile.kernel_h})
        steps = checked_mul(steps, factor);
    return checked_add(steps, array.fill_cycles);
}

std::int64_t least_operation_cycles(const MultiNpu& machine, const TileShape& tile) {
    return machine.mapped.given() ? machine.mapped.source().at_least(tile) : operation_cycles(machine, tile);
}

std::int64_t transfer_cycles(const MultiNpu& machine, std::int64_t bytes) {
    return ceil_div(bytes, machine.bytes_per_cycle);
}

std::string problem_with(const MultiNpu& machine) {
    const std::pair<const char*, std::int64_t> positive[] = {
        {"cores", machine.cores},
        {"scratchpad bytes", machine.scratchpad_bytes},
        {"DMA channels", machine.dma_channels},
        {"bytes per cycle", machine.bytes_per_cycle},
        {"bytes of an input", machine.element_bytes.input},
        {"bytes of a weight", machine.element_bytes.weight},
        {"bytes of an output", machine.element_bytes.output},
        {"bytes of a partial sum", machine.element_bytes.partial_sum},
        {"input channels of the array", machine.array.in_channels},
        {"output channels of the array", machine.array.out_channels}};
    for (const auto& [what, value] : positive)
        if (value < 1) return std::string("the ") + what + " must be at least 1";
    if (machine.array.fill_cycles < 0) return "the fill cycles must not be negative";
    if (machine.cores > kMostCores) return "more than " + std::to_string(kMostCores) + " cores are not supported";
    if (machine.dma_channels > kMostChannels)
        return "more than " + std::to_string(kMostChannels) + " DMA channels are not supported";
    if (machine.element_bytes.partial_sum < machine.element_bytes.output)
        return "a partial sum must not be smaller than an output";
    return "";
}

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
