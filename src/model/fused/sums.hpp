// Partial sums of another width in fused mappings: which operands of leaves have them, which stores hold them, and what
// of them is not counted.
//
// A shared store has room for final words where every word that ever arrives in it is final: no shared loop cuts the
// sums inside it, and no mapping of a leaf below it sends a word twice. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/fused/tree.hpp"
#include "mapping/fused/validity.hpp"
#include "model/fused/costs.hpp"
#include "model/fused/walk.hpp"
#include "workload/words.hpp"

namespace tilewright::fused {

/// Bits of a partial sum of the cascade's tensor; 0: as many as of a final one.
inline std::int64_t partial_bits_of(const PartialBits& partial, int tensor) {
    return static_cast<std::size_t>(tensor) < partial.size() ? partial[tensor] : 0;
}

/// The same by operand of an einsum.
PartialBits partial_bits_of(const CascadeEinsum& einsum, const PartialBits& partial);

/// Statistics that are read unfinished: their words are partial where readers find them, which is not counted.
std::vector<FusedViolation> uncounted_sums(const Cascade& cascade, const FusedTree& tree, const PartialBits& partial);

/// By entry of `counts.stores`: some word in it is ever partial. `answers`: of the calls.
std::vector<bool> stores_of_partial_sums(const Cascade& cascade, const FusedTree& tree, const WalkCounts& counts,
                                         const std::vector<std::optional<LeafAnswer>>& answers);

}  // namespace tilewright::fused
