// The banks of a memory outside the array. Internal to sim/machine.
//
// Rows of words lie in consecutive banks, tensor after tensor, and a bank serves one row in a cycle. What is read goes
// on where the last words of its tensor ended, around the end of what the tensor has in the memory, and so does what is
// written. A read begins when all its banks are free for it; words that arrive are written when their banks are free,
// without holding up those who sent them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/noc/link.hpp"

namespace tilewright::sim {

class Banks {
   public:
    /// `row_words`: of one bank; `words`: [tensor] that it has in the memory; all in words of the memory.
    Banks(int banks, std::int64_t row_words, const std::vector<double>& words);

    /// Whether the next words of a tensor may be read from this cycle on.
    bool free(Cycle now, int tensor, double words) const;
    /// Requires free(now, tensor, words).
    void read(Cycle now, int tensor, double words);
    void write(Cycle now, int tensor, double words);

    /// The first cycle after this one in which a bank is free that is not free now; 0: all are.
    Cycle next_free(Cycle now) const;

   private:
    /// What of a tensor comes next, and the row that was accessed last, which need not be accessed again.
    struct Place {
        double word = 0.0;
        std::int64_t row = -1;
    };
    struct Rows {
        std::int64_t first = 0;
        std::int64_t count = 0;
    };
    Rows rows_of(const Place& place, int tensor, double words) const;
    std::size_t bank_of(int tensor, std::int64_t row) const;
    void advance(Place& place, int tensor, double words) const;

    std::int64_t row_words_;
    std::vector<Cycle> free_from_;     ///< [bank]
    std::vector<std::int64_t> base_;   ///< [tensor] rows before its own
    std::vector<std::int64_t> rows_;   ///< [tensor]
    std::vector<Place> next_read_;     ///< [tensor]
    std::vector<Place> next_written_;  ///< [tensor]
};

}  // namespace tilewright::sim
