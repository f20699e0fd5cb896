#include "run/partial_sums/partial_sums.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers/number_text.hpp"
#include "workload/select_layers.hpp"

namespace tilewright {
namespace {

bool bounds_from_below(const Architecture& architecture) {
    return std::ranges::all_of(architecture.memories, [](const Memory& one) { return one.min_utilization <= 0.0; });
}

// Of the search with the narrower words: no mapping costs less by the objective.
std::optional<double> bound_of(const LayerAnswer& narrow, const Objective& objective) {
    if (!narrow.search) return std::nullopt;
    if (narrow.search->proven && narrow.evaluation)
        return objective.score(narrow.evaluation->energy_pj, narrow.evaluation->cycles).value;
    return narrow.search->lower_bound;
}

std::string claim_of_two(double value, const std::optional<double>& bound) {
    std::string claim =
        "the better of two mappings, found as if all words were as wide as partial sums, or as final ones";
    if (!bound || !(value > 0.0)) return claim + "; nothing says how far it is from the best";
    return claim + fmt::format("; within {} of the optimum", share_text(std::max(0.0, 1.0 - *bound / value)));
}

// Evaluates a mapping, or adds to `failures` what is wrong with it.
std::optional<Evaluation> evaluated(const LayerProblem& problem, const Mapping& mapping, const PartialBits& bits,
                                    const MappingPlaces& places, std::vector<std::string>& failures) {
    if (const std::string wrong = problem_with(problem.einsum, mapping, bits); !wrong.empty()) {
        failures.push_back(wrong + " [unsupported]");
        return std::nullopt;
    }
    const std::vector<Violation> violations = check(problem.einsum, problem.architecture, mapping, bits);
    for (const Violation& one : violations)
        failures.push_back(placed_text(one, places) + " [" + violation_kind_name(one.kind) + "]");
    if (!violations.empty()) return std::nullopt;
    Mapping plain = mapping;
    plain.options.clear();
    return evaluate(problem.einsum, problem.architecture, plain, bits);
}

}  // namespace

std::vector<PartialBits> partial_bits(const Network& network, const std::vector<TensorWidth>& widths) {
    std::vector<PartialBits> all;
    for (const Layer& layer : network.layers) all.emplace_back(layer.einsum.tensors.size(), 0);
    bool any = false;
    for (const TensorWidth& width : widths) {
        const std::vector<bool> matching = matching_layers(network, {width.layers});
        for (std::size_t i = 0; i < matching.size(); ++i) {
            const int tensor = find_tensor(network.layers[i].einsum, width.tensor);
            if (matching[i] && tensor >= 0) all[i][tensor] = width.bits;
        }
    }
    for (const PartialBits& bits : all)
        any = any || std::ranges::any_of(bits, [](std::int64_t one) { return one > 0; });
    return any ? all : std::vector<PartialBits>{};
}

Einsum with_partial_width(Einsum einsum, const PartialBits& bits) {
    for (std::size_t t = 0; t < bits.size(); ++t)
        if (bits[t] > 0) einsum.tensors[t].bits = bits[t];
    return einsum;
}

std::string partial_width_in(const Einsum& einsum, const PartialBits& bits) {
    for (std::size_t t = 0; t < bits.size(); ++t)
        if (bits[t] > 0)
            return fmt::format("words of {} bits in partial sums of '{}'", bits[t], einsum.tensors[t].name);
    return "";
}

report::LayerResult evaluate_layer(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                   const PartialBits& bits, const MappingPlaces& places) {
    report::LayerResult result = report::unmapped(layer);
    result.mapping = mapping;
    result.partial_bits = bits;
    result.evaluation = evaluated({layer.einsum, architecture, {}}, mapping, bits, places, result.failures);
    return result;
}

void settle_partial_sums(const LayerAnswer& wide, const LayerAnswer& narrow, const LayerProblem& problem,
                         const PartialBits& bits, const Objective& objective, report::LayerResult& result) {
    result.einsum = problem.einsum;
    result.partial_bits = bits;
    result.mapping.reset();
    result.evaluation.reset();
    std::vector<std::string> failures = wide.failures;
    double best = 0.0;
    for (const LayerAnswer* const one : {&wide, &narrow}) {
        if (!one->mapping) continue;
        const auto evaluation = evaluated(problem, *one->mapping, bits, {}, failures);
        if (!evaluation) continue;
        const double value = objective.score(evaluation->energy_pj, evaluation->cycles).value;
        if (result.mapping && value >= best) continue;
        best = value;
        result.mapping = one->mapping;
        result.evaluation = evaluation;
    }
    if (!result.mapping) {
        result.failures = failures.empty() ? std::vector<std::string>{"no legal mapping found"} : failures;
        return;
    }
    result.failures.clear();
    const std::optional<double> bound =
        bounds_from_below(problem.architecture) ? bound_of(narrow, objective) : std::nullopt;
    result.search = wide.search.value_or(SearchSummary{});
    result.search->proven = false;
    result.search->lower_bound = bound;
    result.search->claim = claim_of_two(best, bound);
}

}  // namespace tilewright
