// The fields of what `tilewright evaluate --fused-mapping` writes as JSON (yaml/archive.hpp). Internal to report/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mapping/fused/text.hpp"
#include "mapping/fused/tree.hpp"
#include "report/fused/fused_report.hpp"
#include "report/machine_fields.hpp"

namespace tilewright::report {

template <typename Archive, yaml::Of<FilledLeaves> T>
void fields(Archive& archive, T& filled) {
    archive.name("FilledLeaves", "Of leaves that the tree left open (docs/fusion.md).");
    archive("objective", filled.objective);
    archive("value", filled.value, "of all of the tree: pJ, cycles or pJ * cycles");
    archive("bound", filled.bound, "no mappings of these leaves come to less");
    archive("proven", filled.proven, "these come to that");
    archive("leaves", filled.leaves);
    archive("boxes", filled.boxes, "sizes of their boxes");
}

}  // namespace tilewright::report

namespace tilewright::document {

// Costs with the names of what they are about.
struct FusedTensor {
    std::string name;
    fused::TensorCost of;
};
struct FusedMemory {
    fused::MemoryCost of;
    std::optional<std::int64_t> usable_words;
    std::optional<std::string> peak_leaf;
    std::vector<FusedTensor> tensors;
};
struct FusedLeaf {
    std::string einsum;
    fused::LeafCost of;
};
struct FusedStore {
    std::string tensor;
    std::string memory;
    fused::StoreCost of;
};

struct Fused {
    report::Provenance provenance;
    std::string architecture;
    std::string cascade;
    fused::Evaluation of;
    std::optional<report::FilledLeaves> filled;
    std::vector<FusedMemory> memories;
    std::vector<FusedLeaf> leaves;
    std::vector<FusedStore> stores;
    std::string mapping;
    std::vector<std::string> notes;
};

template <typename Archive, yaml::Of<FusedTensor> T>
void fields(Archive& archive, T& tensor) {
    archive.name("TensorCosts", "Of all instances and repeats.");
    archive("name", tensor.name);
    archive("reads", tensor.of.reads);
    archive("fills", tensor.of.fills, "from outside");
    archive("updates", tensor.of.updates, "from inside");
    archive("energy_pj", tensor.of.energy_pj);
}

template <typename Archive, yaml::Of<FusedMemory> T>
void fields(Archive& archive, T& memory) {
    archive.name("MemoryCosts");
    archive("name", memory.of.name);
    archive("energy_pj", memory.of.energy_pj, "accesses, addresses, leakage");
    archive("leakage_pj", memory.of.leakage_pj);
    archive("link_energy_pj", memory.of.link_energy_pj, "of the link below it, not in energy_pj");
    archive("cycles", memory.of.cycles, "that it alone would need");
    archive("usable_words", memory.usable_words, "null: unlimited");
    archive("peak_words", memory.of.peak_words, "the most that is reserved at once");
    archive("peak_leaf", memory.peak_leaf, "the einsum while it is; null: none");
    archive("tensors", memory.tensors, "those that move");
}

template <typename Archive, yaml::Of<FusedLeaf> T>
void fields(Archive& archive, T& leaf) {
    archive.name("LeafCosts");
    archive("einsum", leaf.einsum);
    archive("boxes", leaf.of.calls);
    archive("box_sizes", leaf.of.sizes, "that differ");
    archive("operations", leaf.of.operations);
    archive.derived("recomputed_operations", leaf.of.operations - leaf.of.once_operations,
                    "of words that were made before");
    archive("cycles", leaf.of.cycles);
    archive("energy_pj", leaf.of.energy_pj);
}

template <typename Archive, yaml::Of<FusedStore> T>
void fields(Archive& archive, T& store) {
    archive.name("StoreCosts");
    archive("tensor", store.tensor);
    archive("memory", store.memory);
    archive("tile_words", store.of.tile_words);
    archive("reserved_throughout", store.of.throughout, "not from first use to last");
    archive("words_in", store.of.words_in, "from the store around it");
    archive("words_out", store.of.words_out, "to the store around it");
    archive("words_corrected", store.of.words_corrected,
            "of a sum, as the statistics behind it changed (docs/fusion.md, rule 18)");
    archive("cycles", store.of.cycles);
    archive("energy_pj", store.of.energy_pj);
}

template <typename Archive, yaml::Of<Fused> T>
void fields(Archive& archive, T& fused) {
    begin(archive, "tilewright-fused/1", fused.provenance);
    archive("architecture", fused.architecture);
    archive("cascade", fused.cascade);
    archive.group("totals", [&](auto& totals) {
        totals("energy_pj", fused.of.energy_pj);
        totals("cycles", fused.of.cycles);
        totals.derived("edp_pj_cycles", fused.of.edp_pj_cycles(), "energy * cycles");
        totals("compute_energy_pj", fused.of.compute_energy_pj, "with leakage");
        totals("operations", fused.of.operations);
        totals("recomputed_operations", fused.of.recomputed_operations, "of words that were made before");
        totals("correcting_operations", fused.of.correcting_operations,
               "of sums that were begun with statistics that changed");
    });
    archive("filled", fused.filled, "what map --fuse found for leaves that were left open; null: none was");
    archive("memories", fused.memories, "outermost first");
    archive("leaves", fused.leaves, "in the order in which they run");
    archive("stores", fused.stores);
    archive("mapping", fused.mapping, "as text, which evaluate --fused-mapping takes");
    archive("notes", fused.notes);
}

}  // namespace tilewright::document
