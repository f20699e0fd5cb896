// SCALE-Sim's stalls where the user gives the bandwidth of its memories (InterfaceBandwidth: USER), counted as it
// counts them: request by request. docs/coming-from-scalesim.md says what its memories do.
//
// Values; thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "scalesim/systolic.hpp"

namespace tilewright::scalesim {

/// Words of each memory, and words a cycle between each of them and the DRAM.
struct Memories {
    std::int64_t ifmap_words = 1024;
    std::int64_t filter_words = 1024;
    std::int64_t ofmap_words = 1024;
    std::int64_t words_per_cycle = 1;
};

/// Elements of an operand above which counting request by request takes minutes.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 27;

/// As run_on of the product that `einsum` is (product_of), with these memories; nothing where an operand of a group has
/// more than kMostElements elements. Throws OverflowError.
std::optional<SystolicRun> run_on(const SystolicArray& array, Stationary stationary, const Einsum& einsum,
                                  const Memories& memories);

}  // namespace tilewright::scalesim
