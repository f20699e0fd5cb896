#include "model/fused/costs.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"
#include "mapping/fused/fused_mapping.hpp"
#include "mapping/fused/unfinished.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "model/exact/partial_sums.hpp"
#include "model/fused/lifetimes.hpp"

namespace tilewright::fused {

PartialBits partial_bits_of(const CascadeEinsum& einsum, const PartialBits& partial) {
    PartialBits bits;
    for (std::size_t t = 0; t < einsum.accesses.size(); ++t)
        bits.push_back(einsum.einsum.tensors[t].written ? partial_bits_of(partial, einsum.accesses[t].tensor) : 0);
    return bits;
}

std::vector<FusedViolation> uncounted_sums(const Cascade& cascade, const FusedTree& tree, const PartialBits& partial) {
    std::vector<FusedViolation> violations;
    for (const UnfinishedStatistics& one : all_read_unfinished(cascade, tree)) {
        const CascadeEinsum& statistics = cascade.einsums[one.einsum];
        for (std::size_t t = 0; t < statistics.accesses.size(); ++t) {
            const int tensor = statistics.accesses[t].tensor;
            if (!statistics.einsum.tensors[t].written || partial_bits_of(partial, tensor) == 0) continue;
            const std::string& name = cascade.tensors[tensor].name;
            violations.push_back({"'" + name + "' is read before its rows are finished: it has one width, " + name +
                                      "=BITS, or the loop that cuts its rows stands elsewhere",
                                  one.leaf});
        }
    }
    return violations;
}

std::vector<bool> stores_of_partial_sums(const Cascade& cascade, const FusedTree& tree, const WalkCounts& counts,
                                         const std::vector<std::optional<LeafAnswer>>& answers) {
    std::vector<bool> partial(counts.stores.size(), false);
    std::size_t at = 0;
    for (const auto& [call, times] : counts.calls) {
        const std::optional<LeafAnswer>& answer = answers[at++];
        if (!answer || answer->partial.empty()) continue;
        const CascadeEinsum& einsum = cascade.einsums[tree.leaf(call.leaf)->einsum];
        for (std::size_t t = 0; t < einsum.accesses.size(); ++t) {
            if (!answer->partial[answer->held_in[t]].has(static_cast<int>(t))) continue;
            const int tensor = einsum.accesses[t].tensor;
            const int innermost = tree.chain(call.leaf, tensor).back();
            const auto store = std::ranges::find_if(
                counts.stores, [&](const StoreCounts& one) { return one.store == innermost && one.tensor == tensor; });
            partial[static_cast<std::size_t>(store - counts.stores.begin())] = true;
        }
    }
    for (const StoreCounts& one : counts.stores)
        if (one.outer >= 0 && (one.words_back > 0 || one.words_finished < one.words_out)) partial[one.outer] = true;
    return partial;
}

namespace {

std::string box_text(const Einsum& einsum) {
    std::string text;
    for (const Dimension& dimension : einsum.dimensions)
        text += (text.empty() ? "" : " ") + dimension.name + "=" + std::to_string(dimension.extent);
    return text;
}

// Capacities of the memories that hold shared stores are looked at where all is known that stands in them (peaks.cpp).
Architecture without_shared_capacities(const Architecture& architecture, const FusedTree& tree) {
    Architecture open = architecture;
    for (int i = 0; i < tree.node_count(); ++i)
        if (const SharedStore* store = tree.store(i)) {
            Memory& memory = open.memories[store->memory];
            memory.capacity_words.reset();
            memory.min_utilization = 0.0;
        }
    return open;
}

class Answers {
   public:
    Answers(const Cascade& cascade, const Architecture& architecture, const FusedTree& tree, const StopSource* stop,
            std::vector<FusedViolation>& violations, const PartialBits& partial)
        : cascade_(cascade),
          tree_(tree),
          stop_(stop),
          open_(without_shared_capacities(architecture, tree)),
          violations_(violations),
          partial_(partial) {}

    std::optional<LeafAnswer> answer(const LeafCall& call) {
        throw_if_stopped(stop_);
        const FusedLeaf& leaf = *tree_.leaf(call.leaf);
        const CascadeEinsum& einsum = cascade_.einsums[leaf.einsum];
        const Einsum box = on_box(einsum.einsum, call.extents);
        const std::string where = "leaf '" + einsum.name + "' on a box " + box_text(box) + ": ";
        const LeafNest* nest = nest_for(leaf, call.extents);
        if (nest == nullptr) return refuse(call.leaf, where + "no mapping of it is for such a box");
        LeafAnswer answer{{}, held_in(cascade_, tree_, call.leaf), {}};
        answer.mapping = mapping_on(*nest, call.extents, answer.held_in, open_.memory_count());
        const PartialBits bits = partial_bits_of(einsum, partial_);
        if (const std::string problem = problem_with(box, bits); !problem.empty())
            return refuse(call.leaf, where + problem);
        const bool is_plain = std::ranges::all_of(bits, [](std::int64_t one) { return one == 0; });
        const PartOfSums part{call.resumed, call.unfinished};
        const std::vector<Violation> problems =
            is_plain ? check(box, open_, answer.mapping) : check(box, open_, answer.mapping, bits, part);
        if (!problems.empty())
            return is_open(leaf) ? refuse(call.leaf, where + "no mapping is given", true)
                                 : refuse(call.leaf, where + problems.front().message);
        if (is_plain)
            answer.once = tilewright::evaluate(box, open_, answer.mapping, stop_, call.resumed);
        else
            count(box, bits, part, answer);
        return answer;
    }

   private:
    void count(const Einsum& box, const PartialBits& bits, const PartOfSums& part, LeafAnswer& answer) const {
        PartEvaluation counted = evaluate_part(box, open_, answer.mapping, bits, part, stop_);
        answer.once = std::move(counted.evaluation);
        answer.final_updates = std::move(counted.final_updates);
        answer.partial = std::move(counted.partial);
    }

    std::optional<LeafAnswer> refuse(int leaf, const std::string& message, bool left_open = false) {
        if (std::ranges::find(violations_, leaf, &FusedViolation::node) == violations_.end())
            violations_.push_back({message, leaf, left_open});
        return std::nullopt;
    }

    const Cascade& cascade_;
    const FusedTree& tree_;
    const StopSource* stop_;
    Architecture open_;
    std::vector<FusedViolation>& violations_;
    const PartialBits& partial_;
};

}  // namespace

std::vector<int> held_in(const Cascade& cascade, const FusedTree& tree, int leaf) {
    std::vector<int> memories;
    for (const Access& access : cascade.einsums[tree.leaf(leaf)->einsum].accesses)
        memories.push_back(tree.store(tree.chain(leaf, access.tensor).back())->memory);
    return memories;
}

std::vector<std::optional<LeafAnswer>> leaf_answers(const Cascade& cascade, const Architecture& architecture,
                                                    const FusedTree& tree, const WalkCounts& counts,
                                                    const StopSource* stop, std::vector<FusedViolation>& violations,
                                                    const PartialBits& partial) {
    Answers answers(cascade, architecture, tree, stop, violations, partial);
    std::vector<std::optional<LeafAnswer>> all;
    for (const auto& [call, times] : counts.calls) all.push_back(answers.answer(call));
    return all;
}

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
