#include "model/fused/corrections.hpp"

#include <map>
#include <optional>

namespace tilewright::fused {
namespace {

int result_operand_of(const CascadeEinsum& einsum) {
    int operand = 0;
    while (!einsum.einsum.tensors[operand].written) ++operand;
    return operand;
}

const CascadeEinsum& einsum_at(const Cascade& cascade, int e) { return cascade.einsums[e]; }

/// The box around what an operand reaches.
std::optional<Box> reach(const Cascade& cascade, int e, int operand, const Iterations& box) {
    const CascadeEinsum& einsum = einsum_at(cascade, e);
    const int tensor = einsum.accesses[operand].tensor;
    return touched(einsum, operand, box, cascade.tensors[tensor]);
}

/// What an einsum makes of these words, by tensor.
std::optional<Box> made_of(const Cascade& cascade, int e, const std::map<int, Box>& words) {
    const CascadeEinsum& einsum = einsum_at(cascade, e);
    std::optional<Box> made;
    for (int t = 0; t < einsum.einsum.tensor_count(); ++t) {
        const auto read = words.find(einsum.accesses[t].tensor);
        if (einsum.einsum.tensors[t].written || read == words.end()) continue;
        extend(made, reach(cascade, e, result_operand_of(einsum), iterations_for(einsum, t, read->second, true)));
    }
    return made;
}

}  // namespace

int summing_operand(const Cascade& cascade, const UnfinishedStatistics& statistics) {
    return result_operand_of(einsum_at(cascade, statistics.summing()));
}

void Corrections::changed(const Cascade& cascade, const UnfinishedStatistics& statistics, const Iterations& box) {
    const CascadeEinsum& own = einsum_at(cascade, statistics.einsum);
    std::map<int, Box> words;
    for (int t = 0; t < own.einsum.tensor_count(); ++t)
        if (const auto made = reach(cascade, statistics.einsum, t, box); made && own.einsum.tensors[t].written)
            words[own.accesses[t].tensor] = *made;
    std::optional<Box> sums;
    for (const int e : statistics.readers) {
        sums = made_of(cascade, e, words);
        const CascadeEinsum& reader = einsum_at(cascade, e);
        if (sums) words[reader.accesses[result_operand_of(reader)].tensor] = *sums;
    }
    if (!sums) return;
    for (const Box& piece : begun_.boxes())
        if (const std::optional<Box> both = intersection(piece, *sums)) old_.add(*both);
}

std::int64_t Corrections::summed(const Box& part, bool goes_on) {
    std::int64_t count = 0;
    Region touched_now;
    touched_now.add(part);
    Region left;
    for (const Box& piece : old_.boxes()) {
        if (const std::optional<Box> both = intersection(piece, part); both && goes_on) count += words(*both);
        for (const Box& rest : touched_now.missing(piece)) left.add(rest);
    }
    old_ = left;
    begun_.add(part);
    return count;
}

}  // namespace tilewright::fused
