#include <algorithm>

#include "arch/widths.hpp"
#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "model/fused/costs.hpp"
#include "model/fused/lifetimes.hpp"

namespace tilewright::fused {
namespace {

class Peaks {
   public:
    Peaks(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree, const WalkCounts& counts)
        : cascade_(cascade), architecture_(architecture), tree_(tree), counts_(counts) {
        for (const StoreCounts& store : counts.stores) lifetimes_.push_back(lifetime_of(cascade, tree, store));
    }

    // Bits of the memory that are reserved while the leaf works on such a box; the parts in words where a text is asked
    // for.
    std::int64_t reserved_bits(int memory, int leaf, const LeafAnswer& answer, std::vector<std::string>* parts) const {
        std::int64_t sum = 0;
        const auto add = [&](const std::string& name, std::int64_t words, std::int64_t tensor_bits) {
            const std::int64_t word = word_bits(memory);
            sum = checked_add(sum, checked_mul(words, tensor_bits > 0 ? tensor_bits : word));
            if (parts != nullptr && words > 0) parts->push_back(name + " " + std::to_string(words));
        };
        for (std::size_t i = 0; i < counts_.stores.size(); ++i) {
            const StoreCounts& store = counts_.stores[i];
            if (!lifetimes_[i].has(leaf) || tree_.store(store.store)->memory != memory) continue;
            const CascadeTensor& tensor = cascade_.tensors[store.tensor];
            add(tensor.name, store.tile_words, tensor.bits);
        }
        const Einsum& einsum = cascade_.einsums[tree_.leaf(leaf)->einsum].einsum;
        const auto& traffic = answer.once.memories[memory].tensors;
        for (std::size_t t = 0; t < traffic.size(); ++t)
            if (traffic[t].kept && answer.held_in[t] != memory)
                add(einsum.tensors[t].name + " of the leaf", traffic[t].tile_words, einsum.tensors[t].bits);
        return sum;
    }

    std::int64_t word_bits(int memory) const { return architecture_.memories[memory].word_bits; }

    bool has_shared_store(int memory) const {
        return std::ranges::any_of(
            counts_.stores, [&](const StoreCounts& store) { return tree_.store(store.store)->memory == memory; });
    }

   private:
    const Cascade& cascade_;
    const Architecture& architecture_;
    const FusedTree& tree_;
    const WalkCounts& counts_;
    std::vector<Lifetime> lifetimes_;  // by store
};

}  // namespace

void find_peaks(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
                const WalkCounts& counts, const std::vector<std::optional<LeafAnswer>>& answers, Evaluation& evaluation,
                std::vector<FusedViolation>& violations) {
    const Peaks peaks(cascade, architecture, tree, counts);
    for (int m = 0; m < architecture.memory_count(); ++m) {
        MemoryCost& cost = evaluation.memories[m];
        const std::optional<std::int64_t> usable = architecture.memories[m].usable_words();
        const LeafAnswer* fullest = nullptr;
        std::size_t at = 0;
        for (const auto& [call, times] : counts.calls) {
            const LeafAnswer& answer = *answers[at++];
            const std::int64_t words = ceil_div(peaks.reserved_bits(m, call.leaf, answer, nullptr), peaks.word_bits(m));
            if (fullest != nullptr && words <= cost.peak_words) continue;
            cost.peak_words = words;
            cost.peak_leaf = call.leaf;
            fullest = &answer;
        }
        if (!usable || !peaks.has_shared_store(m) || cost.peak_words <= *usable) continue;
        std::vector<std::string> parts;
        peaks.reserved_bits(m, cost.peak_leaf, *fullest, &parts);
        const std::string& leaf = cascade.einsums[tree.leaf(cost.peak_leaf)->einsum].name;
        violations.push_back({cost.name + " holds " + std::to_string(cost.peak_words) + " words while '" + leaf +
                                  "' runs, " + std::to_string(cost.peak_words - *usable) + " more than its " +
                                  std::to_string(*usable) + ": " + list_words(parts),
                              cost.peak_leaf});
    }
}

}  // namespace tilewright::fused
