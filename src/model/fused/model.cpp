#include "model/fused/model.hpp"

#include "base/numbers/checked.hpp"
#include "mapping/fused/tree.hpp"
#include "model/fused/costs.hpp"
#include "model/fused/walk.hpp"

namespace tilewright::fused {
namespace {

Evaluation empty_evaluation(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
                            const WalkCounts& counts) {
    Evaluation evaluation;
    for (const Memory& memory : architecture.memories)
        evaluation.memories.push_back(
            {.name = memory.name, .tensors = std::vector<TensorCost>(cascade.tensors.size())});
    for (const int leaf : tree.all_leaves()) {
        const auto e = static_cast<std::size_t>(tree.leaf(leaf)->einsum);
        evaluation.leaves.push_back(
            {.leaf = leaf, .operations = counts.operations[e], .once_operations = counts.once_operations[e]});
        evaluation.operations = checked_add(evaluation.operations, counts.operations[e]);
        evaluation.recomputed_operations += counts.operations[e] - counts.once_operations[e];
    }
    return evaluation;
}

// So many calls of one leaf on boxes of one size.
void add_calls(const CascadeEinsum& einsum, const LeafAnswer& answer, std::int64_t calls, Evaluation& evaluation,
               LeafCost& leaf) {
    const double times = static_cast<double>(calls);
    const tilewright::Evaluation& once = answer.once;
    leaf.calls = checked_add(leaf.calls, calls);
    ++leaf.sizes;
    leaf.cycles = checked_add(leaf.cycles, checked_mul(calls, once.cycles));
    leaf.energy_pj += times * once.energy_pj;
    evaluation.compute_energy_pj += times * (once.compute_energy_pj + once.compute_leakage_pj);
    for (std::size_t m = 0; m < once.memories.size(); ++m) {
        const MemoryEvaluation& memory = once.memories[m];
        MemoryCost& cost = evaluation.memories[m];
        cost.leakage_pj += times * memory.leakage_pj;
        cost.energy_pj += times * memory.energy_pj;
        cost.link_energy_pj += times * memory.link_energy_pj;
        cost.cycles = checked_add(cost.cycles, checked_mul(calls, memory.cycles));
        for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
            TensorCost& tensor = cost.tensors[einsum.accesses[t].tensor];
            tensor.reads += times * memory.tensors[t].reads;
            tensor.fills += times * memory.tensors[t].fills;
            tensor.updates += times * memory.tensors[t].updates;
            tensor.energy_pj += times * (memory.tensors[t].energy_pj + memory.tensors[t].address_energy_pj);
            if (!answer.partial.empty() && answer.partial[m].has(static_cast<int>(t)))
                tensor.partial += times * (memory.tensors[t].reads + memory.tensors[t].fills +
                                           memory.tensors[t].updates - answer.final_updates[m][t]);
        }
    }
}

LeafCost& cost_of(int leaf, Evaluation& evaluation) {
    for (LeafCost& cost : evaluation.leaves)
        if (cost.leaf == leaf) return cost;
    throw std::logic_error("a call of no leaf");
}

void add_up(Evaluation& evaluation) {
    for (const LeafCost& leaf : evaluation.leaves) {
        evaluation.cycles = checked_add(evaluation.cycles, leaf.cycles);
        evaluation.energy_pj += leaf.energy_pj;
    }
    for (const StoreCost& store : evaluation.stores) {
        evaluation.cycles = checked_add(evaluation.cycles, store.cycles);
        evaluation.energy_pj += store.energy_pj;
    }
}

}  // namespace

std::string problem_with(const Architecture& architecture) {
    for (const Memory& memory : architecture.memories)
        if (!memory.link.passages.empty())
            return "'" + memory.link.passages.front().name + "' is a passage, and those are counted layer by layer";
    return "";
}

Answer evaluate(const Cascade& cascade, const Architecture& architecture, const FusedMapping& mapping,
                const StopSource* stop, const PartialBits& partial) {
    Answer answer{check_fused(cascade, architecture, mapping), std::nullopt};
    if (!answer.violations.empty()) return answer;
    const FusedTree tree(cascade, mapping);
    answer.violations = uncounted_sums(cascade, tree, partial);
    if (!answer.violations.empty()) return answer;
    const WalkCounts counts = walk_boxes(cascade, tree, stop, false, partial);
    answer.violations = counts.violations;
    const auto leaves = leaf_answers(cascade, architecture, tree, counts, stop, answer.violations, partial);
    if (!answer.violations.empty()) return answer;
    Evaluation evaluation = empty_evaluation(cascade, architecture, tree, counts);
    std::size_t at = 0;
    for (const auto& [call, times] : counts.calls)
        add_calls(cascade.einsums[tree.leaf(call.leaf)->einsum], *leaves[at++], times, evaluation,
                  cost_of(call.leaf, evaluation));
    for (int i = 0; i < static_cast<int>(counts.stores.size()); ++i)
        evaluation.stores.push_back(store_cost(cascade, architecture, tree, counts, i, evaluation, partial));
    find_peaks(cascade, architecture, tree, counts, leaves, evaluation, answer.violations, partial);
    add_up(evaluation);
    if (answer.violations.empty()) answer.evaluation = std::move(evaluation);
    return answer;
}

}  // namespace tilewright::fused
