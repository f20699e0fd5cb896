// What shared stores take of memories while leaves run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "model/fused/lifetimes.hpp"

namespace tilewright::fused {

class Reservations {
   public:
    /// Keeps references to all. `widths`: by store, bits of its words where they are others than the tensor's, or 0;
    /// empty: of none.
    Reservations(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
                 const std::vector<StoreCounts>& stores, std::vector<std::int64_t> widths = {});

    /// Bits of the memory that stores reserve while the leaf runs. `parts`, if any, gets "TENSOR WORDS" of each.
    std::int64_t bits(int memory, int leaf, std::vector<std::string>* parts) const;
    /// The tensor's words in this memory.
    std::int64_t bits_of(int memory, std::int64_t words, std::int64_t tensor_bits) const;

   private:
    const Cascade& cascade_;
    const Architecture& architecture_;
    const FusedTree& tree_;
    const std::vector<StoreCounts>& stores_;
    std::vector<Lifetime> lifetimes_;   // by store
    std::vector<std::int64_t> widths_;  // by store
};

/// "Buffer holds 30 words while 'up' runs, 6 more than its 24: A 12, B 18".
std::string too_many_words(const std::string& memory, std::int64_t words, std::int64_t usable, const std::string& leaf,
                           const std::vector<std::string>& parts);

}  // namespace tilewright::fused
