// SCALE-Sim's stalls with user-given memory bandwidth (InterfaceBandwidth: USER), counted request by request as it
// does. docs/coming-from-scalesim.md describes its memories.
//
// Values; thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "scalesim/systolic.hpp"

namespace tilewright::scalesim {

/// Words of each memory, and words per cycle between each and the DRAM.
struct Memories {
    std::int64_t ifmap_words = 1024;
    std::int64_t filter_words = 1024;
    std::int64_t ofmap_words = 1024;
    std::int64_t words_per_cycle = 1;
};

/// Operand elements beyond which request-by-request counting takes minutes.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 27;

/// As run_on of the einsum's product (product_of), with these memories; empty beyond kMostElements operand elements in
/// a group. Throws OverflowError.
std::optional<SystolicRun> run_on(const SystolicArray& array, Stationary stationary, const Einsum& einsum,
                                  const Memories& memories);

}  // namespace tilewright::scalesim
