#include "run/map_layer.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mapper/priced/priced_search.hpp"
#include "mapspace/layer_problem.hpp"
#include "run/claim.hpp"
#include "run/composition.hpp"
#include "run/search.hpp"

namespace tilewright {
namespace {

void require_sound(const MapOptions& options) {
    if (const std::string problem = problem_with(options); !problem.empty())
        throw InputError(ErrorCode::usage, {"options"}, problem);
}

struct Judged {
    Mapping mapping;
    Evaluation evaluation;
};

Judged judged(const LayerProblem& problem, const FoundMapping& found) {
    const Mapping mapping = mapping_of(found, problem.einsum).value();
    LayerCosts costs = costs_of(problem, mapping);
    return {verified(mapping, costs.violations), std::move(costs.evaluation).value()};
}

FrontAnswer front_answer(const LayerProblem& problem, const FrontPoint& point, const Einsum& unpadded) {
    const auto [mapping, evaluation] = judged(problem, point.mapping);
    FrontAnswer out{mapping, evaluation.energy_pj, evaluation.cycles, std::nullopt};
    if (problem.einsum != unpadded) out.padded = problem.einsum;
    return out;
}

LayerProgress progress_of(const Progress& now) {
    LayerProgress progress;
    progress.sampled = now.statistics.sampled;
    progress.valid = now.statistics.valid;
    progress.found = now.best.valid() && now.statistics.valid > 0;
    if (progress.found) {
        progress.energy_pj = now.best.energy_pj;
        progress.cycles = static_cast<std::int64_t>(now.best.cycles);
        progress.objective = now.score.value;
    }
    progress.space = now.space;
    progress.lower_bound = now.lower_bound;
    return progress;
}

// Verifies and evaluates what was found.
void fill_in(const LayerProblem& problem, const PaddedResult& found, LayerAnswer& answer) {
    const SearchResult& result = found.result;
    Judged best = judged(with_einsum(problem, found.einsum), result.best.value());
    answer.mapping = std::move(best.mapping);
    answer.evaluation = std::move(best.evaluation);
    for (std::size_t i = 0; i < result.front.size(); ++i)
        answer.front.push_back(
            front_answer(with_einsum(problem, found.front_einsums[i]), result.front[i], problem.einsum));
    if (found.einsum == problem.einsum) return;
    answer.unpadded = problem.einsum;
    answer.einsum = found.einsum;
}

}  // namespace

LayerAnswer map_layer(const LayerProblem& problem, const MapOptions& options, const SearchControl& control) {
    require_sound(options);
    if (const std::string wrong = refusal(capabilities_of(problem, options)); !wrong.empty())
        throw InputError(ErrorCode::usage, {"options"}, wrong);
    LayerAnswer answer;
    answer.einsum = problem.einsum;
    const Mapspace mapspace = mapspace_of(problem, options);
    if (!mapspace.problem().empty() && options.factors != FactorRule::padded) {
        answer.failures = failures_of(mapspace.problem(), problem, options);
        return answer;
    }
    if (options.uneven && mapspace.has_remainders()) {
        answer.failures = {"no uneven mappings are searched where a constraint allows remainders"};
        return answer;
    }
    ProgressCallback progress;
    if (control.progress) progress = [&](const Progress& now) { control.progress(progress_of(now)); };
    const PaddedResult found = search_layer_or_paddings(problem, mapspace, options, control.stop, progress);
    answer.search = summary_of(found.result, problem.constraints, options);
    if (found.result.best)
        fill_in(problem, found, answer);
    else
        answer.failures = failures_of(
            found.result.stopped == StopReason::empty_mapspace ? mapspace.problem() : failure_of(found.result), problem,
            options);
    return answer;
}

}  // namespace tilewright
