// The best leaves of a given tree: loops and stores as given, every leaf that is left open mapped by
// the optimal mapper, for each size of its boxes, in what the stores leave of their memories.
//
//     OpenLeaves leaves(cascade, architecture, demands, stop);
//     const FilledTree filled = leaves.fill(mapping, objective);
//     for (const FusedViolation& violation : filled.violations) ...
//     if (filled.evaluation) use(filled.mapping);
//
// Energies of leaves add up, and so do their cycles, so that the best of each leaf make up the best of the tree: of all
// even mappings whose factors divide and that the machine allows. Products of both do not.
#pragma once

#include <optional>
#include <vector>

#include "fusion/hierarchy/leaf_mapper.hpp"
#include "mapping/fused/tree.hpp"
#include "mapping/fused/validity.hpp"
#include "model/fused/evaluation.hpp"
#include "model/fused/lifetimes.hpp"

namespace tilewright::fusion {

struct FilledTree {
    std::vector<FusedViolation>
        violations;  ///< of the tree, or no mapping of a leaf fits; empty: there is an evaluation
    FusedMapping mapping;
    std::optional<fused::Evaluation> evaluation;
    double bound = 0.0;   ///< of the objective: no mappings of the open leaves come to less
    bool proven = false;  ///< these come to that
    int open = 0;         ///< leaves that were open
    int boxes = 0;        ///< sizes of their boxes
};

class OpenLeaves {
   public:
    /// Keeps references to all. Requires problem_inside() to be "" but for the objective.
    OpenLeaves(const Cascade& cascade, const Architecture& architecture, const std::vector<Constraints>& demands,
               const StopSource* stop);

    /// Energy, latency or their product; of the product leaves are the best of energy, cycles and product. What is
    /// known of leaves serves the next tree. Throws Stopped; OverflowError; std::logic_error where the exact model has
    /// a cost below the bound.
    FilledTree fill(const FusedMapping& mapping, const Objective& objective);

   private:
    struct Asked {
        int leaf = 0;  ///< node
        int einsum = 0;
        std::vector<std::int64_t> extents;
        std::int64_t calls = 0;
        LeafPlace place;
    };
    using Chosen = std::vector<const LeafMapping*>;  ///< by what is asked

    /// Nothing, and why, where stores alone take more than a memory has.
    std::vector<Asked> asked_of(const FusedTree& tree, std::vector<FusedViolation>& violations) const;
    LeafPlace place_of(const FusedTree& tree, const fused::Reservations& stores, int leaf,
                       std::vector<FusedViolation>& violations) const;
    Chosen best_of(const std::vector<Asked>& asked, ObjectiveKind kind, std::vector<FusedViolation>& violations);
    const LeafMapping* best(const Asked& asked, ObjectiveKind kind);
    /// Energy or cycles that no mappings of the open leaves are below.
    static double bound(const FusedTree& tree, const std::vector<Asked>& asked, const Chosen& chosen,
                        const fused::Evaluation& evaluation, ObjectiveKind kind);
    void offer(const FusedMapping& tree, const std::vector<Asked>& asked, const Chosen& chosen,
               const Objective& objective, FilledTree& filled) const;
    void fill_product(const FusedMapping& tree, const std::vector<Asked>& asked, const Objective& objective,
                      FilledTree& filled);

    const Cascade& cascade_;
    const Architecture& architecture_;
    const StopSource* stop_;
    LeafMapper mapper_;
};

}  // namespace tilewright::fusion
