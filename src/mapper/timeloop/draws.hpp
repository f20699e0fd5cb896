// Draws: the random numbers that direct Timeloop's searches.
//
// Every space of choices has its own generator: a 31-bit linear congruential engine with one initial state in every
// thread. Numbers beyond 64 bits take two draws. With seed 1 the draws are timeloop-mapper's own, so its runs are
// repeated number by number; other seeds begin elsewhere.
#pragma once

#include <cstdint>

namespace tilewright::timeloop_search {

/// Number of choices, or index of one: below 2^128.
__extension__ typedef unsigned __int128 Number;

class Draws {
   public:
    /// Of 0 .. bound - 1. Requires bound > 0.
    Draws(Number bound, std::uint64_t seed);

    Number next();

   private:
    std::uint32_t engine();
    std::uint64_t up_to(std::uint64_t most);

    Number bound_;
    std::uint64_t state_;
};

}  // namespace tilewright::timeloop_search
