// When a shared store is reserved.
//
// A store whose words serve a later step stays reserved for the whole of the loops inside which it stands; any other
// from the beginning of the first branch that uses its tensor to the end of the last one.
// What shared stores take of memories while leaves run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/fused/tree.hpp"
#include "model/fused/walk.hpp"

namespace tilewright::fused {

/// Its words serve a later step: of a loop outside it, or of one between it and the split below.
bool is_reserved_throughout(const FusedTree& tree, const StoreCounts& store);

/// Leaves among nodes begin .. end - 1 run while the store is reserved, no others.
struct Lifetime {
    int begin = 0;
    int end = 0;
    bool has(int leaf) const { return begin <= leaf && leaf < end; }
};
Lifetime lifetime_of(const Cascade& cascade, const FusedTree& tree, const StoreCounts& store);

/// True when the store is reserved while the leaf runs.
bool is_reserved_at(const Cascade& cascade, const FusedTree& tree, const StoreCounts& store, int leaf);

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
