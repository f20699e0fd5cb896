#include "run/first_mapping.hpp"

#include <algorithm>
#include <vector>

#include "run/composition.hpp"

namespace tilewright {
namespace {

// Those that search the mapspace of the factor rule, so that any legal mapping of it is an answer.
bool searches_mapspace(const MapOptions& options) {
    const MapperKind mapper = intended_mapper(options);
    return !options.made_by && !is_timeloops(mapper) && mapper != MapperKind::loma && mapper != MapperKind::salsa &&
           mapper != MapperKind::cosa;
}

MapOptions drawing(MapOptions options) {
    constexpr double kMostSeconds = 1.0;  // a layer that has no mapping may be drawn from for long
    options.mapper = MapperKind::hybrid;
    options.evaluations = 1;
    options.time_limit_seconds = kMostSeconds;
    options.uneven = false;
    options.optimal_after_failure = false;
    if (options.factors == FactorRule::padded) options.factors = FactorRule::perfect;
    return options;
}

bool is_slow_to_draw(Capability capability) {
    return capability == Capability::zeros || capability == Capability::partial_sums ||
           capability == Capability::blocks;
}

}  // namespace

std::optional<LayerAnswer> first_mapping(const LayerProblem& problem, const MapOptions& options,
                                         const SearchControl& control) {
    if (!searches_mapspace(options)) return std::nullopt;
    const MapOptions draws = drawing(options);
    if (std::ranges::any_of(capabilities_of(problem, draws), is_slow_to_draw)) return std::nullopt;
    LayerAnswer answer = map_layer(problem, draws, {control.stop, {}});
    return answer.mapping ? std::optional(std::move(answer)) : std::nullopt;
}

LayerAnswer or_first(LayerAnswer answer, const std::optional<LayerAnswer>& first) {
    if (answer.mapping || !first) return answer;
    LayerAnswer found = *first;
    if (answer.search) found.search = std::move(answer.search);
    SearchSummary& search = found.search.value();
    search.evaluations += 1;
    search.valid += 1;
    search.sampled += first->search->sampled;
    search.proven = false;
    search.claim = "the first legal mapping that was drawn; the search itself found none";
    return found;
}

}  // namespace tilewright
