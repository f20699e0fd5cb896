#include "report/fused/fused_report.hpp"

#include <fmt/format.h>

#include "base/numbers/number_text.hpp"
#include "report/parts/table.hpp"

namespace tilewright::report {
namespace {

std::string leaf_name(const FusedReport& report, const FusedTree& tree, int leaf) {
    return leaf < 0 ? "" : report.cascade.einsums[tree.leaf(leaf)->einsum].name;
}

std::string memories_text(const FusedReport& report, const FusedTree& tree) {
    Table table({"memory", "energy", "links", "cycles", "peak words", "of", "while"}, "lrrrrrl");
    for (std::size_t m = 0; m < report.evaluation.memories.size(); ++m) {
        const fused::MemoryCost& memory = report.evaluation.memories[m];
        const std::optional<std::int64_t> usable = report.architecture.memories[m].usable_words();
        table.add({memory.name, energy_text(memory.energy_pj), energy_text(memory.link_energy_pj),
                   count_text(memory.cycles), usable ? count_text(memory.peak_words) : "",
                   usable ? count_text(*usable) : "", usable ? leaf_name(report, tree, memory.peak_leaf) : ""});
    }
    return table.text();
}

std::string words_text(const FusedReport& report) {
    Table table({"tensor", "memory", "reads", "fills", "updates", "energy"}, "llrrrr");
    for (std::size_t t = 0; t < report.cascade.tensors.size(); ++t)
        for (const fused::MemoryCost& memory : report.evaluation.memories) {
            const fused::TensorCost& cost = memory.tensors[t];
            if (cost.words() > 0.0)
                table.add({report.cascade.tensors[t].name, memory.name, count_text(cost.reads), count_text(cost.fills),
                           count_text(cost.updates), energy_text(cost.energy_pj)});
        }
    return table.text();
}

std::string leaves_text(const FusedReport& report, const FusedTree& tree) {
    Table table({"einsum", "boxes", "sizes", "operations", "made again", "cycles", "energy"}, "lrrrrrr");
    for (const fused::LeafCost& leaf : report.evaluation.leaves)
        table.add({leaf_name(report, tree, leaf.leaf), count_text(leaf.calls),
                   count_text(static_cast<std::int64_t>(leaf.sizes)), count_text(leaf.operations),
                   count_text(leaf.operations - leaf.once_operations), count_text(leaf.cycles),
                   energy_text(leaf.energy_pj)});
    return table.text();
}

std::string stores_text(const FusedReport& report, const FusedTree& tree) {
    Table table({"tensor", "store", "tile words", "reserved", "in", "out", "cycles", "energy"}, "llrlrrrr");
    for (const fused::StoreCost& store : report.evaluation.stores) {
        const int memory = tree.store(store.store)->memory;
        if (memory == 0 && store.tile_words == 0) continue;
        table.add({report.cascade.tensors[store.tensor].name, report.architecture.memories[memory].name,
                   count_text(store.tile_words), store.throughout ? "throughout" : "first to last use",
                   count_text(store.words_in), count_text(store.words_out), count_text(store.cycles),
                   energy_text(store.energy_pj)});
    }
    return table.empty() ? "" : "\n  shared stores\n" + table.text();
}

std::string filled_text(const FilledLeaves& filled) {
    const std::string found = fmt::format(
        "{} open {}, {} of boxes, mapped for least {}: ", filled.leaves, filled.leaves == 1 ? "leaf" : "leaves",
        filled.boxes == 1 ? "one size" : fmt::format("{} sizes", filled.boxes), filled.objective);
    if (filled.proven) return "  " + found + "proven: no mappings of them cost less\n";
    return "  " + found +
           fmt::format("in [{:.4g}, {:.4g}]: the first bounds all mappings of them\n", filled.bound, filled.value);
}

}  // namespace

void fields(yaml::Archive& archive, FilledLeaves& filled) {
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

void fields(yaml::Archive& archive, FusedTensor& tensor) {
    archive.name("TensorCosts", "Of all instances and repeats.");
    archive("name", tensor.name);
    archive("reads", tensor.of.reads);
    archive("fills", tensor.of.fills, "from outside");
    archive("updates", tensor.of.updates, "from inside");
    archive("energy_pj", tensor.of.energy_pj);
}

void fields(yaml::Archive& archive, FusedMemory& memory) {
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

void fields(yaml::Archive& archive, FusedLeaf& leaf) {
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

void fields(yaml::Archive& archive, FusedStore& store) {
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

void fields(yaml::Archive& archive, Fused& fused) {
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

namespace tilewright::report {
namespace {

using document::Fused;

std::string einsum_of_leaf(const FusedReport& report, const FusedTree& tree, int leaf) {
    return report.cascade.einsums[tree.leaf(leaf)->einsum].name;
}

document::FusedMemory memory_of(const FusedReport& report, const FusedTree& tree, std::size_t m) {
    document::FusedMemory memory{
        report.evaluation.memories[m], report.architecture.memories[m].usable_words(), std::nullopt, {}};
    if (memory.of.peak_leaf >= 0) memory.peak_leaf = einsum_of_leaf(report, tree, memory.of.peak_leaf);
    for (std::size_t t = 0; t < memory.of.tensors.size(); ++t)
        if (memory.of.tensors[t].words() > 0.0)
            memory.tensors.push_back({report.cascade.tensors[t].name, memory.of.tensors[t]});
    return memory;
}

Fused document_of(const FusedReport& report) {
    const FusedTree tree(report.cascade, report.mapping);
    Fused fused{report.provenance,
                report.architecture.name,
                report.cascade.name,
                report.evaluation,
                report.filled,
                {},
                {},
                {},
                to_text(report.mapping, report.cascade, report.architecture),
                report.notes};
    for (std::size_t m = 0; m < report.evaluation.memories.size(); ++m)
        fused.memories.push_back(memory_of(report, tree, m));
    for (const fused::LeafCost& leaf : report.evaluation.leaves)
        fused.leaves.push_back({einsum_of_leaf(report, tree, leaf.leaf), leaf});
    for (const fused::StoreCost& store : report.evaluation.stores) {
        const int memory = tree.store(store.store)->memory;
        if (memory > 0 || store.tile_words > 0)
            fused.stores.push_back(
                {report.cascade.tensors[store.tensor].name, report.architecture.memories[memory].name, store});
    }
    return fused;
}

}  // namespace

std::string fused_json(const FusedReport& report) { return dumped(yaml::place_of(document_of(report))); }

std::string fused_text(const FusedReport& report) {
    const FusedTree tree(report.cascade, report.mapping);
    const fused::Evaluation& evaluation = report.evaluation;
    const std::string title = report.cascade.name + " on " + report.architecture.name + ", fused";
    std::string text = title + "\n" + std::string(title.size(), '=') + "\n";
    text += fmt::format("  energy      {}\n  cycles      {}\n", energy_text(evaluation.energy_pj),
                        count_text(evaluation.cycles));
    text += fmt::format("  operations  {}", count_text(evaluation.operations));
    if (evaluation.recomputed_operations > 0)
        text += fmt::format(", {} of them make words again ({})", count_text(evaluation.recomputed_operations),
                            share_text(static_cast<double>(evaluation.recomputed_operations) /
                                       static_cast<double>(evaluation.operations)));
    if (evaluation.correcting_operations > 0)
        text += fmt::format(", {} correct sums of rows read unfinished", count_text(evaluation.correcting_operations));
    text += fmt::format("\n  units       {}\n\n", energy_text(evaluation.compute_energy_pj));
    if (report.filled) text += filled_text(*report.filled) + "\n";
    text += memories_text(report, tree) + "\n" + words_text(report) + "\n" + leaves_text(report, tree) +
            stores_text(report, tree) + "\n";
    text += to_text(report.mapping, report.cascade, report.architecture);
    if (!report.notes.empty()) text += "\n";
    for (const std::string& note : report.notes) text += "  note: " + note + "\n";
    return text;
}

}  // namespace tilewright::report
