#include "sparse/given.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "sparse/density.hpp"
#include "workload/network.hpp"

namespace tilewright::sparse {
namespace {

[[noreturn]] void refuse(const DensityRule& rule, ErrorCode code, const std::string& message) {
    throw InputError(code, rule.where, message, rule.line);
}

bool matches_any(const std::string& pattern, const std::vector<std::string>& names) {
    try {
        matching_layers(names, {pattern}, "");
        return true;
    } catch (const InputError&) {
        return false;
    }
}

std::vector<bool> layers_of(const DensityRule& rule, const Network& network, const std::vector<std::string>& left_out) {
    try {
        return matching_layers(network, {rule.layers});
    } catch (const InputError& error) {
        if (matches_any(rule.layers, left_out)) return {};
        refuse(rule, error.code(), error.message());
    }
}

/// Summed over: no result has it.
bool is_summed(const Einsum& einsum, int dimension) {
    return std::none_of(einsum.tensors.begin(), einsum.tensors.end(),
                        [&](const Tensor& tensor) { return tensor.written && is_relevant(tensor, dimension); });
}

/// The rank that is this dimension and nothing else; -1: there is none.
int rank_along(const Tensor& tensor, int dimension) {
    for (int r = 0; r < static_cast<int>(tensor.ranks.size()); ++r) {
        const std::vector<Term>& terms = tensor.ranks[r].terms;
        if (terms.size() == 1 && terms.front().dimension == dimension) return r;
    }
    return -1;
}

int first_summed_rank(const Einsum& einsum, int tensor) {
    const std::vector<Rank>& ranks = einsum.tensors[tensor].ranks;
    for (int r = 0; r < static_cast<int>(ranks.size()); ++r)
        if (ranks[r].terms.size() == 1 && is_summed(einsum, ranks[r].terms.front().dimension)) return r;
    return -1;
}

/// A density of one tensor of one layer.
struct OfTensor {
    const DensityRule& rule;
    const Einsum& einsum;
    int tensor;
    const std::string& who;

    template <class Same>
    Density operator()(const Same& density) const {
        return density;
    }
    Density operator()(const GivenPattern& given) const {
        const std::string& name = einsum.tensors[tensor].name;
        const std::string text = std::to_string(given.kept) + ":" + std::to_string(given.of);
        const int rank = given.along.empty() ? first_summed_rank(einsum, tensor)
                                             : rank_along(einsum.tensors[tensor], find_dimension(einsum, given.along));
        if (rank < 0 && given.along.empty())
            refuse(rule, ErrorCode::bad_value,
                   who + "results are summed over no rank of '" + name + "': say along which dimension " + text +
                       " is, as in " + text + ":" + einsum.dimensions.front().name);
        if (rank < 0)
            refuse(rule, ErrorCode::unknown_name, who + "'" + name + "' has no rank along '" + given.along + "' alone");
        return Pattern{given.kept, given.of, rank};
    }
};

struct Share {
    const Tile& tensor;

    double operator()(const FixedStructured& density) const { return density.density; }
    double operator()(const Pattern& density) const {
        return static_cast<double>(density.kept) / static_cast<double>(density.of);
    }
    double operator()(const Measured& density) const {
        const std::int64_t all = elements(tensor);
        return all == 0 ? 0.0 : static_cast<double>(density.places->size()) / static_cast<double>(all);
    }
    double operator()(const UniformRandom& density) const {
        const auto all = static_cast<double>(elements(tensor));
        return all == 0.0 ? 0.0 : std::ceil(density.density * all) / all;
    }
    double operator()(const Banded& band) const {
        const auto side = static_cast<double>(tensor.front());
        const double beside = side - 1.0 - std::min(side - 1.0, static_cast<double>(band.half_width));
        return 1.0 - beside * (beside + 1.0) / (side * side);
    }
};

struct Name {
    std::string operator()(const FixedStructured&) const { return "fixed_structured"; }
    std::string operator()(const UniformRandom&) const { return "hypergeometric"; }
    std::string operator()(const Banded& band) const { return "banded-" + std::to_string(band.half_width); }
    std::string operator()(const Pattern& pattern) const {
        return std::to_string(pattern.kept) + ":" + std::to_string(pattern.of);
    }
    std::string operator()(const Measured&) const { return "measured"; }
};

}  // namespace

RulesOfLayers rules_of(const Network& network, const std::vector<DensityRule>& rules,
                       const std::vector<std::string>& left_out) {
    RulesOfLayers found(network.layers.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i].resize(network.layers[i].einsum.tensors.size());
    for (const DensityRule& rule : rules) {
        const std::vector<bool> matching = layers_of(rule, network, left_out);
        std::set<std::string> known;
        bool fits = false;
        for (std::size_t i = 0; i < matching.size(); ++i) {
            if (!matching[i]) continue;
            for (const Tensor& tensor : network.layers[i].einsum.tensors) known.insert(tensor.name);
            const int tensor = find_tensor(network.layers[i].einsum, rule.tensor);
            if (tensor < 0) continue;
            found[i][tensor] = rule;
            fits = true;
        }
        const std::vector<std::string> names(known.begin(), known.end());
        const std::string hint = did_you_mean(rule.tensor, names);
        if (!fits && !matching.empty())
            refuse(rule, ErrorCode::unknown_tensor,
                   "no layer '" + rule.layers + "' of " + network.name + " has a tensor '" + rule.tensor + "'" +
                       (hint.empty() ? "; they have " + list_words(names) : hint));
    }
    return found;
}

Density density_of(const DensityRule& rule, const std::string& layer, const Einsum& einsum, int tensor) {
    const std::string who = "layer '" + layer + "': ";
    const Density density = std::visit(OfTensor{rule, einsum, tensor, who}, rule.density);
    if (const std::string problem = problem_with(density, extents_of(einsum, tensor)); !problem.empty())
        refuse(rule, ErrorCode::bad_value, who + "'" + einsum.tensors[tensor].name + "': " + problem);
    return density;
}

double share_of(const Density& density, const Tile& tensor) { return std::visit(Share{tensor}, density); }

std::vector<TensorDensity> densities_of(const Einsum& einsum, const std::vector<Density>& densities) {
    std::vector<TensorDensity> all;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        all.push_back({name_of(densities[t]), share_of(densities[t], extents_of(einsum, t)), ""});
    return all;
}

std::string name_of(const Density& density) { return std::visit(Name{}, density); }

}  // namespace tilewright::sparse
