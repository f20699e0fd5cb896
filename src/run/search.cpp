#include "run/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "base/numbers/number_text.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/optimal/optimal.hpp"
#include "mapper/priced/priced_search.hpp"
#include "mapper/timeloop/timeloop.hpp"
#include "mapspace/constraints.hpp"
#include "mapspace/feasibility.hpp"
#include "model/lean/lean.hpp"

namespace tilewright {
namespace {

// What stands in where the optimal mapper cannot prove.
constexpr MapperKind kHeuristic = MapperKind::hybrid;

TimeloopMapper::Options timeloop_options(const MapOptions& options) {
    TimeloopMapper::Options own;
    own.streams = static_cast<int>(options.streams.value_or(own.streams));
    own.timeout = options.timeout.value_or(own.timeout);
    return own;
}

bool pads(const MapOptions& options) { return options.factors == FactorRule::padded; }

std::unique_ptr<Mapper> mapper_of(const LayerProblem& problem, const MapOptions& options) {
    if (options.made_by) return options.made_by(problem.einsum);
    if (options.uneven) return std::make_unique<OptimalMapper>(OptimalMapper::Options{.uneven = true});
    if (is_timeloops(options.mapper)) return make_timeloop_mapper(name_of(options.mapper), timeloop_options(options));
    return make_mapper(name_of(intended_mapper(options)));
}

// What was asked for found nothing, which is no reason to have no answer.
SearchResult search_optimally(const Mapspace& mapspace, const LeanEvaluator& evaluator, const MapOptions& options,
                              const StopSource* stop, const ProgressCallback& progress) {
    const OptimalMapper optimal;
    SearchResult found =
        optimal.search(mapspace, evaluator, options.objective, budget_of(options, optimal, stop), progress);
    if (found.best && found.remark.empty() && found.stopped != StopReason::proven)
        found.remark = fmt::format("the file's {} found no legal mapping, {} did", name_of(options.mapper),
                                   name_of(MapperKind::optimal));
    return found;
}

SearchResult search_space(const LayerProblem& problem, const Mapspace& mapspace, const MapOptions& options,
                          const StopSource* stop, const ProgressCallback& progress) {
    const bool stands_in = hybrid_stands_in(problem, mapspace, options);
    const std::unique_ptr<Mapper> mapper = stands_in ? make_mapper(name_of(kHeuristic)) : mapper_of(problem, options);
    const Budget budget = budget_of(options, *mapper, stop);
    if (!problem.is_plain())
        return search_priced(problem, options.factors, *mapper, options.objective, budget, progress);
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    SearchResult found = mapper->search(mapspace, evaluator, options.objective, budget, progress);
    if (stands_in && found.best && found.remark.empty())
        found.remark = fmt::format(
            "found by {}, not proven: the space is large; --mapper {} searches until it is proven or stopped",
            name_of(kHeuristic), name_of(MapperKind::optimal));
    const bool stopped = stop != nullptr && stop->requested();
    const bool again = !found.best && options.optimal_after_failure && options.mapper != MapperKind::optimal &&
                       sometimes_provable(options.factors);
    return again && !stopped ? search_optimally(mapspace, evaluator, options, stop, progress) : found;
}

// The layer and all ways to pad it.
PaddedResult search_padded(const LayerProblem& problem, const MapOptions& options, const StopSource* stop,
                           const ProgressCallback& progress) {
    Budget budget;
    budget.evaluations = options.evaluations;
    if (const auto seconds = seconds_of_layer(options)) budget.time = std::chrono::duration<double>(*seconds);
    budget.stop = stop;
    const auto search_one = [&](const Einsum& einsum, const Budget& share, const ProgressCallback& tell) {
        const LayerProblem padded = with_einsum(problem, einsum);
        const Mapspace mapspace = mapspace_of(padded, options);
        SearchResult nothing;
        nothing.stopped = StopReason::empty_mapspace;
        if (!mapspace.problem().empty()) return nothing;
        MapOptions part = options;
        part.evaluations = share.evaluations;
        part.time_limit_seconds.reset();
        if (share.time) part.time_limit_seconds.emplace(share.time->count());
        return search_space(padded, mapspace, part, stop, tell);
    };
    const std::vector<Einsum> einsums = paddings(problem.einsum, problem.architecture, problem.constraints);
    return search_paddings(einsums, options.objective, budget, search_one, progress);
}

}  // namespace

Budget budget_of(const MapOptions& options, const Mapper& mapper, const StopSource* stop) {
    Budget budget;
    budget.evaluations = options.evaluations;
    if (const auto seconds = seconds_of_layer(options)) budget.time = std::chrono::duration<double>(*seconds);
    // That of the mapper that searches, which may stand in for another.
    budget.victory = options.victory.value_or(mapper.default_victory());
    budget.seed = options.seed;
    budget.threads = options.threads;
    budget.largest_space = options.largest_space;
    budget.stop = stop;
    return budget;
}

PaddedResult search_layer_or_paddings(const LayerProblem& problem, const Mapspace& mapspace, const MapOptions& options,
                                      const StopSource* stop, const ProgressCallback& progress) {
    if (pads(options)) return search_padded(problem, options, stop, progress);
    PaddedResult found{search_space(problem, mapspace, options, stop, progress), problem.einsum, {}, 1};
    found.front_einsums.assign(found.result.front.size(), problem.einsum);
    return found;
}

// A constraint may allow remainders whatever the factor rule says.
bool hybrid_stands_in(const LayerProblem& problem, const Mapspace& mapspace, const MapOptions& options) {
    return !problem.zeros && options.mapper == MapperKind::automatic &&
           intended_mapper(options) == MapperKind::optimal && !OptimalMapper::is_quick(mapspace);
}

Mapspace mapspace_of(const LayerProblem& problem, const MapOptions& options) {
    return {problem.einsum, problem.architecture, problem.constraints, options.factors};
}

SearchResult search_layer(const LayerProblem& problem, const MapOptions& options, const StopSource* stop,
                          const ProgressCallback& progress) {
    if (pads(options)) return search_padded(problem, options, stop, progress).result;
    return search_space(problem, mapspace_of(problem, options), options, stop, progress);
}

Mapping verified(Mapping found, const std::vector<Violation>& violations) {
    if (!violations.empty())
        throw std::logic_error("the mapper found an illegal mapping: " + violations.front().message);
    return found;
}

std::string failure_of(const SearchResult& found) {
    if (!found.remark.empty()) return found.remark;
    if (found.stopped == StopReason::too_large)
        return fmt::format("at least {} mappings: too many to visit, more than the largest space allowed",
                           count_text(found.space.value()));
    return "no legal mapping found: " + std::string(stop_reason_text(found.stopped));
}

std::vector<std::string> failures_of(std::string reason, const LayerProblem& problem, const MapOptions& options) {
    std::vector<std::string> failures{std::move(reason)};
    if (options.uneven || options.factors != FactorRule::perfect) return failures;
    std::ranges::move(conflict_lines(problem), std::back_inserter(failures));
    return failures;
}

}  // namespace tilewright
