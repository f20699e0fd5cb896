// Banks of a memory outside the array. Internal to sim/machine.
//
// Rows of words are interleaved over the banks, tensor after tensor; a bank serves one row per cycle. Reads and writes
// of a tensor each continue at their last word, cyclically within the tensor's space. A read begins once all its banks
// are free; arriving words are written when their banks are free, without holding up their senders.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/noc/link.hpp"

namespace tilewright::sim {

class Banks {
   public:
    /// `row_words`: per bank; `words`: [tensor] in the memory; all in words of the memory.
    Banks(int banks, std::int64_t row_words, const std::vector<double>& words);

    /// Whether a tensor's next words can be read from this cycle on.
    bool free(Cycle now, int tensor, double words) const;
    /// Requires free(now, tensor, words).
    void read(Cycle now, int tensor, double words);
    void write(Cycle now, int tensor, double words);

    /// Next cycle freeing a busy bank; 0: all are free.
    Cycle next_free(Cycle now) const;

   private:
    /// A tensor's next position, and its last accessed row, which needs no second access.
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
