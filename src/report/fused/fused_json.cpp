#include "mapping/fused/text.hpp"
#include "mapping/fused/tree.hpp"
#include "report/fused/fused_report.hpp"
#include "report/json_parts.hpp"

namespace tilewright::report {
namespace {

const std::string& name_of_leaf(const FusedReport& report, const FusedTree& tree, int leaf) {
    return report.cascade.einsums[static_cast<std::size_t>(tree.leaf(leaf)->einsum)].name;
}

const std::string& name_of_tensor(const FusedReport& report, int tensor) {
    return report.cascade.tensors[static_cast<std::size_t>(tensor)].name;
}

Json memory_json(const FusedReport& report, const FusedTree& tree, std::size_t m) {
    const fused::MemoryCost& memory = report.evaluation.memories[m];
    Json json{{"name", memory.name},
              {"energy_pj", memory.energy_pj},
              {"leakage_pj", memory.leakage_pj},
              {"link_energy_pj", memory.link_energy_pj},
              {"cycles", memory.cycles}};
    const std::optional<std::int64_t> usable = report.architecture.memories[m].usable_words();
    json["usable_words"] = usable ? Json(*usable) : Json(nullptr);
    json["peak_words"] = memory.peak_words;
    json["peak_leaf"] = memory.peak_leaf < 0 ? Json(nullptr) : Json(name_of_leaf(report, tree, memory.peak_leaf));
    json["tensors"] = Json::array();
    for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
        const fused::TensorCost& cost = memory.tensors[t];
        if (cost.words() > 0.0)
            json["tensors"].push_back({{"name", name_of_tensor(report, static_cast<int>(t))},
                                       {"reads", cost.reads},
                                       {"fills", cost.fills},
                                       {"updates", cost.updates},
                                       {"energy_pj", cost.energy_pj}});
    }
    return json;
}

Json leaf_json(const FusedReport& report, const FusedTree& tree, const fused::LeafCost& leaf) {
    return {{"einsum", name_of_leaf(report, tree, leaf.leaf)},
            {"boxes", leaf.calls},
            {"box_sizes", leaf.sizes},
            {"operations", leaf.operations},
            {"recomputed_operations", leaf.operations - leaf.once_operations},
            {"cycles", leaf.cycles},
            {"energy_pj", leaf.energy_pj}};
}

Json store_json(const FusedReport& report, const FusedTree& tree, const fused::StoreCost& store) {
    const auto memory = static_cast<std::size_t>(tree.store(store.store)->memory);
    return {{"tensor", name_of_tensor(report, store.tensor)},
            {"memory", report.architecture.memories[memory].name},
            {"tile_words", store.tile_words},
            {"reserved_throughout", store.throughout},
            {"words_in", store.words_in},
            {"words_out", store.words_out},
            {"words_corrected", store.words_corrected},
            {"cycles", store.cycles},
            {"energy_pj", store.energy_pj}};
}

}  // namespace

std::string fused_json(const FusedReport& report) {
    const FusedTree tree(report.cascade, report.mapping);
    const fused::Evaluation& evaluation = report.evaluation;
    Json json = document("tilewright-fused/1", report.provenance);
    json["architecture"] = report.architecture.name;
    json["cascade"] = report.cascade.name;
    json["totals"] = {{"energy_pj", evaluation.energy_pj},
                      {"cycles", evaluation.cycles},
                      {"edp_pj_cycles", evaluation.edp_pj_cycles()},
                      {"compute_energy_pj", evaluation.compute_energy_pj},
                      {"operations", evaluation.operations},
                      {"recomputed_operations", evaluation.recomputed_operations},
                      {"correcting_operations", evaluation.correcting_operations}};
    json["memories"] = Json::array();
    for (std::size_t m = 0; m < evaluation.memories.size(); ++m)
        json["memories"].push_back(memory_json(report, tree, m));
    json["leaves"] = Json::array();
    for (const fused::LeafCost& leaf : evaluation.leaves) json["leaves"].push_back(leaf_json(report, tree, leaf));
    json["stores"] = Json::array();
    for (const fused::StoreCost& store : evaluation.stores)
        if (tree.store(store.store)->memory > 0 || store.tile_words > 0)
            json["stores"].push_back(store_json(report, tree, store));
    json["mapping"] = to_text(report.mapping, report.cascade, report.architecture);
    json["notes"] = report.notes;
    return dumped(json);
}

}  // namespace tilewright::report
