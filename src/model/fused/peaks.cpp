#include <algorithm>

#include "base/numbers/checked.hpp"
#include "model/fused/costs.hpp"
#include "model/fused/reservations.hpp"
#include "model/fused/sums.hpp"

namespace tilewright::fused {
namespace {

class Peaks {
   public:
    Peaks(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree, const WalkCounts& counts,
          const std::vector<std::optional<LeafAnswer>>& answers, const PartialBits& partial)
        : cascade_(cascade),
          tree_(tree),
          counts_(counts),
          partial_(partial),
          stores_(cascade, architecture, tree, counts.stores, widths_of_stores(answers)) {}

    // Bits of the memory that are reserved while the leaf works on such a box; the parts in words where a text is asked
    // for.
    std::int64_t reserved_bits(int memory, int leaf, const LeafAnswer& answer, std::vector<std::string>* parts) const {
        std::int64_t sum = stores_.bits(memory, leaf, parts);
        const Einsum& einsum = cascade_.einsums[tree_.leaf(leaf)->einsum].einsum;
        const auto& traffic = answer.once.memories[memory].tensors;
        for (std::size_t t = 0; t < traffic.size(); ++t) {
            if (!traffic[t].kept || answer.held_in[t] == memory) continue;
            const std::int64_t words = traffic[t].tile_words;
            const bool is_partial = !answer.partial.empty() && answer.partial[memory].has(static_cast<int>(t));
            const int tensor = cascade_.einsums[tree_.leaf(leaf)->einsum].accesses[t].tensor;
            const std::int64_t bits = is_partial ? partial_bits_of(partial_, tensor) : einsum.tensors[t].bits;
            sum = checked_add(sum, stores_.bits_of(memory, words, bits));
            if (parts != nullptr && words > 0)
                parts->push_back(einsum.tensors[t].name + " of the leaf " + std::to_string(words));
        }
        return sum;
    }

    bool has_shared_store(int memory) const {
        return std::ranges::any_of(
            counts_.stores, [&](const StoreCounts& store) { return tree_.store(store.store)->memory == memory; });
    }

   private:
    std::vector<std::int64_t> widths_of_stores(const std::vector<std::optional<LeafAnswer>>& answers) const {
        std::vector<std::int64_t> widths;
        if (partial_.empty()) return widths;
        const std::vector<bool> are_partial = stores_of_partial_sums(cascade_, tree_, counts_, answers);
        for (std::size_t i = 0; i < are_partial.size(); ++i)
            widths.push_back(are_partial[i] ? partial_bits_of(partial_, counts_.stores[i].tensor) : 0);
        return widths;
    }

    const Cascade& cascade_;
    const FusedTree& tree_;
    const WalkCounts& counts_;
    const PartialBits& partial_;
    Reservations stores_;
};

}  // namespace

void find_peaks(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree,
                const WalkCounts& counts, const std::vector<std::optional<LeafAnswer>>& answers, Evaluation& evaluation,
                std::vector<FusedViolation>& violations, const PartialBits& partial) {
    const Peaks peaks(cascade, architecture, tree, counts, answers, partial);
    for (int m = 0; m < architecture.memory_count(); ++m) {
        MemoryCost& cost = evaluation.memories[m];
        const std::optional<std::int64_t> usable = architecture.memories[m].usable_words();
        const LeafAnswer* fullest = nullptr;
        std::size_t at = 0;
        for (const auto& [call, times] : counts.calls) {
            const LeafAnswer& answer = *answers[at++];
            const std::int64_t words =
                ceil_div(peaks.reserved_bits(m, call.leaf, answer, nullptr), architecture.memories[m].word_bits);
            if (fullest != nullptr && words <= cost.peak_words) continue;
            cost.peak_words = words;
            cost.peak_leaf = call.leaf;
            fullest = &answer;
        }
        if (!usable || !peaks.has_shared_store(m) || cost.peak_words <= *usable) continue;
        std::vector<std::string> parts;
        peaks.reserved_bits(m, cost.peak_leaf, *fullest, &parts);
        const std::string& leaf = cascade.einsums[tree.leaf(cost.peak_leaf)->einsum].name;
        violations.push_back({too_many_words(cost.name, cost.peak_words, *usable, leaf, parts), cost.peak_leaf});
    }
}

}  // namespace tilewright::fused
