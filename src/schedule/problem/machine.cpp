#include "schedule/problem/machine.hpp"

#include <utility>

#include "base/numbers/checked.hpp"

namespace tilewright::schedule {

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

}  // namespace tilewright::schedule
