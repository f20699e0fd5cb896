#include <fmt/format.h>

#include "base/numbers/number_text.hpp"
#include "mapping/fused/text.hpp"
#include "mapping/fused/tree.hpp"
#include "report/fused/fused_report.hpp"
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
