// What later einsums of a group need of a tensor, and the ways in which a shared store may keep it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "certificate/fused/walks.hpp"

namespace tilewright::certificate::fused_proof {

/// How long its words are reserved.
enum class Stay : std::uint8_t {
    while_used,     ///< from its first branch to its last
    throughout,     ///< a step leaves words to the next
    not_shared,     ///< leaves read it from the DRAM
    for_all_steps,  ///< it does not move, and is brought before the loops
    for_inner,      ///< it moves with the outer loop only, and is brought inside it
};

struct Need {
    int tensor = -1;
    Stay stay = Stay::while_used;
    std::array<int, 2> axes{-1, -1};
    std::array<int, 2> steps{-1, -1};  ///< Walks along them, of the outer and the inner loop
    std::int64_t words_each = 1;
    std::int64_t bits_each = 1;  ///< of these words in the buffer

    auto operator<=>(const Need&) const = default;
};
/// Ascending tensors, each once.
using Needs = std::vector<Need>;

/// Adds what one more reader needs; false: no store of the space serves both.
bool add(Walks& walks, Needs& needs, const Need& more);

struct Kept {
    std::array<int, 2> made{-1, -1};  ///< Walks of what is made or brought in each step
    std::int64_t bits = 0;            ///< of the store
    std::int64_t brought = 0;         ///< words in all steps, where it comes from the DRAM
};

std::int64_t tile_bits(const Walks& walks, const Need& need);
/// A tile inside both loops, or lines between them.
std::vector<Kept> ways_to_keep(Walks& walks, const Need& need);

}  // namespace tilewright::certificate::fused_proof
