#include "report/fused/fused_fields.hpp"
#include "report/json_parts.hpp"

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

std::string fused_json(const FusedReport& report) { return dumped(yaml::Writer::write(document_of(report))); }

}  // namespace tilewright::report
