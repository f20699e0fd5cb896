#include "arch/estimation/pat.hpp"

#include "arch/format.hpp"
#include "base/numbers/checked.hpp"

namespace tilewright::pat {
namespace {

/// Through (0.5 KB, 1.0) and (100 KB, 6.0), per 16 bits of the row.
double sram_energy(double rows, double width_bits) {
    constexpr double kSlope = (6.0 - 1.0) / (100.0 - 0.5);
    const double kilobytes = width_bits * rows / (8 * 1024);
    return (kSlope * (kilobytes - 0.5) + 1.0) * width_bits / 16;
}

}  // namespace

Sourced memory_energy(const Memory& memory) {
    const auto bits = static_cast<double>(memory.word_bits);
    const auto block = static_cast<double>(memory.block_words);
    if (memory.is_dram) return {200.0 * (bits * block) / 16, "Timeloop PAT, DRAM, 200 pJ per 16 bits"};
    const std::int64_t words = memory.capacity_words.value_or(0);
    if (memory.spreads_only || words == 0) return {0.0, "Timeloop PAT, no capacity"};
    const auto cluster = static_cast<double>(memory.cluster_size);
    const auto rows = static_cast<double>(ceil_div(words, memory.block_words));
    const double width_bits = bits * block * cluster;
    return {sram_energy(rows, width_bits) / cluster, "Timeloop PAT, SRAM, " + short_number(rows) + " rows of " +
                                                         short_number(width_bits) + " bit, shared by " +
                                                         short_number(cluster)};
}

Sourced compute_energy(std::int64_t word_bits) {
    const double ratio = static_cast<double>(word_bits) / 16.0;
    return {ratio * ratio, "Timeloop PAT, (bits/16)^2"};
}

}  // namespace tilewright::pat
