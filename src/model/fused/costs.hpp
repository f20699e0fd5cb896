// Adds up what leaves and shared stores cost.
// Partial sums of another width in fused mappings: which operands of leaves have them, which stores hold them, and what
// of them is not counted.
//
// A shared store has room for final words where every word that ever arrives in it is final: no shared loop cuts the
// sums inside it, and no mapping of a leaf below it sends a word twice. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/fused/tree.hpp"
#include "mapping/fused/validity.hpp"
#include "model/evaluation.hpp"
#include "model/fused/evaluation.hpp"
#include "model/fused/walk.hpp"
#include "workload/words.hpp"

namespace tilewright::fused {

/// The exact model's answer of one call of a leaf.
struct LeafAnswer {
    Mapping mapping;
    std::vector<int> held_in;  ///< by operand: memory of its innermost shared store
    tilewright::Evaluation once;
    /// Of results with partial sums of another width, by memory: final_updates and partial of PartEvaluation.
    std::vector<std::vector<double>> final_updates = {};
    std::vector<TensorSet> partial = {};
};

/// Memory of the innermost shared store of every operand of a leaf.
std::vector<int> held_in(const Cascade& cascade, const FusedTree& tree, int leaf);

/// Calls in the order of WalkCounts::calls. Illegal leaf mappings are added to `violations`; their answers are empty.
/// `partial`: bits of partial sums by tensor of the cascade, here and below.
std::vector<std::optional<LeafAnswer>> leaf_answers(const Cascade& cascade, const Architecture& architecture,
                                                    const FusedTree& tree, const WalkCounts& counts,
                                                    const StopSource* stop, std::vector<FusedViolation>& violations,
                                                    const PartialBits& partial = {});

/// Traffic of one shared store with the store around it. Adds what the two memories and the links between them do.
StoreCost store_cost(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
                     const WalkCounts& counts, int store, Evaluation& evaluation, const PartialBits& partial = {});

/// The most that each memory has to hold at once. Violations where that is more than it can.
void find_peaks(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
                const WalkCounts& counts, const std::vector<std::optional<LeafAnswer>>& answers, Evaluation& evaluation,
                std::vector<FusedViolation>& violations, const PartialBits& partial = {});

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
