// Adds up what leaves and shared stores cost.
#pragma once

#include <map>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/fused/tree.hpp"
#include "mapping/fused/validity.hpp"
#include "model/evaluation.hpp"
#include "model/fused/evaluation.hpp"
#include "model/fused/walk.hpp"

namespace tilewright::fused {

/// The exact model's answer of one call of a leaf.
struct LeafAnswer {
    Mapping mapping;
    std::vector<int> held_in;  ///< by operand: memory of its innermost shared store
    tilewright::Evaluation once;
};

/// Memory of the innermost shared store of every operand of a leaf.
std::vector<int> held_in(const Cascade& cascade, const FusedTree& tree, int leaf);

/// Calls in the order of WalkCounts::calls. Illegal leaf mappings are added to `violations`; their answers are empty.
std::vector<std::optional<LeafAnswer>> leaf_answers(const Cascade& cascade, const Architecture& architecture,
                                                    const FusedTree& tree, const WalkCounts& counts,
                                                    const StopSource* stop, std::vector<FusedViolation>& violations);

/// Traffic of one shared store with the store around it. Adds what the two memories and the links between them do.
StoreCost store_cost(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
                     const WalkCounts& counts, int store, Evaluation& evaluation);

/// The most that each memory has to hold at once. Violations where that is more than it can.
void find_peaks(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
                const WalkCounts& counts, const std::vector<std::optional<LeafAnswer>>& answers, Evaluation& evaluation,
                std::vector<FusedViolation>& violations);

}  // namespace tilewright::fused
