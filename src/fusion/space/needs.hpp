// Which tensors the later einsums of a group need, and how they are kept.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "fusion/space/plan.hpp"
#include "fusion/space/steps.hpp"

namespace tilewright::fusion {

/// How long the words of a shared store are reserved.
enum class Stay : std::uint8_t {
    while_used,  ///< from its first branch to its last: no step leaves anything to the next
    throughout,
    never,     ///< leaves read it by themselves: it is made before the group
    resident,  ///< it does not move with the loops, and is brought before them
    between,   ///< it moves with the outer loop only, and is brought inside it
};

/// What later einsums need of a tensor in each step of the outer and of the inner loop.
struct Need {
    int tensor = -1;
    std::array<int, 2> axes{-1, -1};
    std::array<int, 2> steps{-1, -1};  ///< sequences of Steps
    Stay stay = Stay::while_used;
    std::int64_t words_each = 1;
    std::int64_t room_each = 1;  ///< units of the buffer that these take

    auto operator<=>(const Need&) const = default;
};

/// Ascending tensors, each once.
using Needs = std::vector<Need>;

const Need* find(const Needs& needs, int tensor);
/// Adds what one more reader needs; false where both cannot be served by one store of the space.
bool join(Steps& steps, Needs& needs, const Need& more);

/// What is made of a tensor in each step, and what its store takes.
struct Kept {
    Keeping keeping = Keeping::tile;
    std::array<int, 2> made{-1, -1};
    std::int64_t room = 0;  ///< units of the buffer
};

/// Units of the buffer that what is needed in one step takes.
std::int64_t tile_room(const Steps& steps, const Need& need);
/// True when a step leaves some of its words to the next one, in a tile or in lines.
bool may_stay(Steps& steps, const Need& need);
/// All ways to keep what is needed, as long as it says. None: it cannot be kept so.
std::vector<Kept> ways_to_keep(Steps& steps, const Need& need);
/// Words that come from the DRAM where the tensor is read from there, all steps together.
std::int64_t loaded_words(Steps& steps, const Need& need, const Kept& kept);

}  // namespace tilewright::fusion
