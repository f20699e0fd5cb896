#include "model/fused/sums.hpp"

#include <algorithm>

#include "mapping/fused/unfinished.hpp"

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

}  // namespace tilewright::fused
