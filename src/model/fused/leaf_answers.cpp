#include <algorithm>

#include "mapping/fused/leaf_mapping.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "model/exact/partial_sums.hpp"
#include "model/fused/costs.hpp"
#include "model/fused/sums.hpp"

namespace tilewright::fused {
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

}  // namespace tilewright::fused
