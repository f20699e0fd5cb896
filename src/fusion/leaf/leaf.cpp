#include "fusion/leaf/leaf.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "fusion/machine/machine.hpp"

namespace tilewright::fusion {
namespace {

// Places of an axis that a rank reaches. Smaller steps first: as long as they leave no gap, places are side by side;
// copies further apart than all that are do not overlap; else there are no fewer than of two sets that are added up.
double touched_places(const Rank& rank, const std::vector<std::int64_t>& extents) {
    if (rank.terms.size() == 1) return static_cast<double>(extents[rank.terms.front().dimension]);
    std::vector<std::pair<double, double>> steps;  // size and number
    for (const Term& term : rank.terms)
        steps.emplace_back(static_cast<double>(std::abs(term.coefficient)),
                           static_cast<double>(extents[term.dimension]));
    std::ranges::sort(steps);
    double places = 1.0;
    double span = 1.0;
    for (const auto& [step, count] : steps) {
        if (step >= span)
            places *= count;
        else if (places == span)
            places += step * (count - 1.0);
        else
            places += count - 1.0;
        span += step * (count - 1.0);
    }
    return places;
}

}  // namespace

std::size_t hash_of(int einsum, const LeafQuestion& question) {
    NumberHash hash(static_cast<std::uint64_t>(einsum) << 32U | question.held.bits());
    hash.add(question.resumed);
    for (const std::int64_t extent : question.extents) hash.add(extent);
    return hash.value();
}

std::string problem_with_leaf(const Einsum& einsum) {
    for (const Tensor& tensor : einsum.tensors) {
        std::vector<int> seen;
        for (const Rank& rank : tensor.ranks)
            for (const Term& term : rank.terms) {
                if (term.coefficient < 0) return "'" + tensor.name + "' of '" + einsum.name + "' is read backwards";
                if (std::ranges::find(seen, term.dimension) != seen.end())
                    return "'" + tensor.name + "' of '" + einsum.name + "' has a dimension twice";
                seen.push_back(term.dimension);
                if (tensor.written && (rank.terms.size() > 1 || term.coefficient != 1))
                    return "the result of '" + einsum.name + "' has windows";
            }
    }
    return "";
}

namespace {

// A result of which two neighbouring words of the tensor are never both written.
bool leaves_gaps(const Einsum& einsum, const Access& access) {
    return std::ranges::any_of(access.coordinates, [&](const Coordinate& coordinate) {
        const Term* smallest = nullptr;
        for (const Term& term : coordinate.terms)
            if (einsum.dimensions[at(term.dimension)].extent > 1) smallest = &term;  // larger steps come first
        return smallest != nullptr && smallest->coefficient != 1;
    });
}

}  // namespace

std::string problem_with_cascade(const Cascade& cascade) {
    for (const CascadeEinsum& einsum : cascade.einsums)
        if (std::string problem = problem_with_leaf(einsum.einsum); !problem.empty())
            return "fused mappings of such an einsum are not searched: " + problem;
    for (const CascadeEinsum& einsum : cascade.einsums)
        for (int t = 0; t < einsum.einsum.tensor_count(); ++t)
            if (einsum.einsum.tensors[at(t)].written && leaves_gaps(einsum.einsum, einsum.accesses[at(t)]))
                return "fused mappings of such an einsum are not searched: the result of '" + einsum.name +
                       "' has windows";
    // The exact model knows one state of each word: it has no old one that is read while the new one is made.
    for (const CascadeTensor& tensor : cascade.tensors)
        for (const TensorUse& write : tensor.writers)
            for (const TensorUse& read : tensor.readers)
                if (tensor.role == TensorRole::cache && read.einsum == write.einsum)
                    return "fused mappings are not searched where an einsum changes a cache in place, as '" +
                           cascade.einsums[write.einsum].name + "' does '" + tensor.name + "'";
    return "";
}

double touched_words(const Tensor& tensor, const std::vector<std::int64_t>& extents) {
    double words = 1.0;
    for (const Rank& rank : tensor.ranks) words *= touched_places(rank, extents);
    return words;
}

}  // namespace tilewright::fusion
