// Draws: the random numbers of Timeloop's searches, which decide what they visit.
//
// Every space of choices has a generator of its own: a linear congruential engine of 31 bits that begins with the same
// state in every thread. Numbers beyond 64 bits are put together from two draws. With seed 1 the draws are those of
// timeloop-mapper itself, so that its runs are repeated number by number; other seeds begin elsewhere.
#pragma once

#include <cstdint>

namespace tilewright::timeloop_search {

/// How many choices there are, or which one: below 2^128.
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
