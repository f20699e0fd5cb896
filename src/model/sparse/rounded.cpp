// Expected counts as reports say them.
#include <cmath>

#include "model/sparse/sparse_model.hpp"
#include "sparse/given.hpp"

namespace tilewright::sparse {
namespace {

std::int64_t whole(double value) { return std::llround(value); }

sparse::Accesses rounded(const ExpectedAccesses& accesses, double instances, std::int64_t width) {
    sparse::Accesses whole_ones;
    whole_ones.algorithmic = whole(accesses.algorithmic / instances);
    whole_ones.data = {whole(accesses.data.actual / instances), whole(accesses.data.gated / instances),
                       whole(accesses.data.skipped / instances)};
    for (auto rank = accesses.metadata.rbegin(); rank != accesses.metadata.rend(); ++rank)
        whole_ones.metadata.push_back(
            {{whole(rank->metadata / instances), 0, 0}, {whole(rank->payload / instances), 0, 0}});
    whole_ones.metadata_bits = whole(accesses.metadata_bits / instances);
    if (width > 0)
        whole_ones.metadata_rows.actual = static_cast<std::int64_t>(
            std::ceil(accesses.metadata_bits / instances / static_cast<double>(width) - 1e-9));
    return whole_ones;
}

TensorCosts rounded(const ExpectedTensor& counts, const Density& density, const TensorFormat* format, double instances,
                    std::int64_t width) {
    TensorCosts costs;
    costs.kept = true;
    costs.density = name_of(density);
    if (format != nullptr)
        for (auto rank = format->ranks.rbegin(); rank != format->ranks.rend(); ++rank)
            costs.format.emplace_back(name_of(rank->format));
    costs.tile_words = counts.tile_words;
    costs.most_words = counts.most_words;
    costs.expected_words = counts.held_words;
    costs.most_metadata.assign(counts.most_metadata.rbegin(), counts.most_metadata.rend());
    costs.expected_metadata.assign(counts.held_metadata.rbegin(), counts.held_metadata.rend());
    costs.most_metadata_bits = whole(counts.most_metadata_bits);
    costs.most_instances = whole(instances);
    costs.instances = instances;
    costs.reads = rounded(counts.reads, instances, width);
    costs.fills = rounded(counts.fills, instances, width);
    costs.updates = rounded(counts.updates, instances, width);
    costs.decompressions = whole(counts.decompressions / instances);
    costs.compressions = whole(counts.compressions / instances);
    return costs;
}

}  // namespace

Costs rounded(const ExactResult& result, const Einsum& einsum, const Architecture& architecture, const Design& design) {
    const Expected& expected = result.expected;
    Costs costs;
    costs.algorithmic_computes = whole(expected.algorithmic_computes);
    costs.computes = {whole(expected.computes.actual), whole(expected.computes.gated),
                      whole(expected.computes.skipped)};
    for (std::size_t m = 0; m < expected.memories.size(); ++m) {
        MemoryCosts memory{architecture.memories[m].name, std::vector<TensorCosts>(einsum.tensors.size())};
        for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
            if (!expected.memories[m][t].kept) continue;
            const auto& format = design.memories[m].formats[t];
            memory.tensors[t] =
                rounded(expected.memories[m][t], design.densities[t], format ? &*format : nullptr,
                        result.evaluation.memories[m].tensors[t].instances, design.memories[m].metadata_width_bits);
        }
        costs.memories.push_back(std::move(memory));
    }
    costs.densities = densities_of(einsum, design.densities);
    costs.savings = result.savings;
    return costs;
}

}  // namespace tilewright::sparse
