#include "run/map_layer.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/error.hpp"
#include "mapper/cosa.hpp"
#include "mapper/optimal.hpp"
#include "mapper/padded.hpp"
#include "mapping/validity.hpp"
#include "mapspace/padding.hpp"
#include "model/lean.hpp"
#include "model/model.hpp"
#include "report/number.hpp"
#include "run/claim.hpp"

namespace tilewright {
namespace {

// What stands in where the optimal mapper cannot prove.
constexpr MapperKind kHeuristic = MapperKind::hybrid;

void require_sound(const MapOptions& options) {
    if (const std::string problem = problem_with(options); !problem.empty())
        throw InputError(ErrorCode::usage, {"options"}, problem);
}

Budget budget_of(const MapOptions& options, const Mapper& mapper, const SearchControl& control) {
    Budget budget;
    budget.evaluations = options.evaluations;
    if (options.time_limit_seconds) budget.time = std::chrono::duration<double>(*options.time_limit_seconds);
    // That of the mapper that searches, which may stand in for another.
    budget.victory = options.victory.value_or(mapper.default_victory());
    budget.seed = options.seed;
    budget.threads = options.threads;
    budget.largest_space = options.largest_space;
    budget.stop = control.stop;
    return budget;
}

// The mapping of an answer, judged by code that does not know who found it.
Mapping verified(const LayerProblem& problem, const PerfectPoint& point, const std::optional<Mapping>& uneven) {
    Mapping mapping = uneven ? *uneven : mapping_of(point, problem.einsum).value();
    const std::vector<Violation> violations = check(problem.einsum, problem.architecture, mapping);
    if (!violations.empty())
        throw std::logic_error("the mapper found an illegal mapping: " + violations.front().message);
    return mapping;
}

bool pads(const MapOptions& options) { return options.factors == FactorRule::padded; }

std::string failure_of(const SearchResult& found) {
    if (!found.remark.empty()) return found.remark;
    if (found.stopped == StopReason::too_large)
        return fmt::format("at least {} mappings are too many to visit all; --largest-space sets the limit",
                           report::count_text(found.space.value()));
    return "no legal mapping found: " + std::string(stop_reason_text(found.stopped));
}

cosa::Options cosa_options_for(const Einsum& einsum, const MapOptions& options) {
    cosa::Options result = options.cosa;
    if (options.cosa_bits.empty()) return result;
    result.tensor_bits.assign(einsum.tensors.size(), 0);
    for (const auto& [name, bits] : options.cosa_bits) {
        const int tensor = find_tensor(einsum, name);
        if (tensor < 0) throw InputError(ErrorCode::usage, {"options"}, "cosa_bits: there is no tensor '" + name + "'");
        result.tensor_bits[static_cast<std::size_t>(tensor)] = bits;
    }
    return result;
}

std::unique_ptr<Mapper> mapper_of(const LayerProblem& problem, const MapOptions& options) {
    const MapperKind kind = intended_mapper(options);
    if (kind == MapperKind::cosa) return std::make_unique<CosaMapper>(cosa_options_for(problem.einsum, options));
    if (kind == MapperKind::loma)
        return std::make_unique<LoopOrderMapper>(LoopOrderMapper::Strategy::loma, options.loop_orders);
    if (kind == MapperKind::salsa)
        return std::make_unique<LoopOrderMapper>(LoopOrderMapper::Strategy::salsa, options.loop_orders);
    if (options.uneven) return std::make_unique<OptimalMapper>(OptimalMapper::Options{.uneven = true});
    return make_mapper(name_of(kind));
}

// What was asked for found nothing, which is no reason to have no answer.
SearchResult search_optimally(const Mapspace& mapspace, const LeanEvaluator& evaluator, const MapOptions& options,
                              const SearchControl& control) {
    const OptimalMapper optimal;
    SearchResult found =
        optimal.search(mapspace, evaluator, options.objective, budget_of(options, optimal, control), control.progress);
    if (found.best && found.remark.empty() && found.stopped != StopReason::proven)
        found.remark = fmt::format("the file's {} found no legal mapping, {} did", name_of(options.mapper),
                                   name_of(MapperKind::optimal));
    return found;
}

SearchResult search_space(const LayerProblem& problem, const Mapspace& mapspace, const MapOptions& options,
                          const SearchControl& control) {
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    const bool stands_in = hybrid_stands_in(mapspace, options);
    const std::unique_ptr<Mapper> mapper = stands_in ? make_mapper(name_of(kHeuristic)) : mapper_of(problem, options);
    SearchResult found =
        mapper->search(mapspace, evaluator, options.objective, budget_of(options, *mapper, control), control.progress);
    if (stands_in && found.best && found.remark.empty())
        found.remark =
            fmt::format("found by {}, not proven: there is too much to choose from; --mapper {} takes its time",
                        name_of(kHeuristic), name_of(MapperKind::optimal));
    const bool stopped = control.stop != nullptr && control.stop->requested();
    const bool again = !found.best && options.optimal_after_failure && options.mapper != MapperKind::optimal &&
                       sometimes_provable(options.factors);
    return again && !stopped ? search_optimally(mapspace, evaluator, options, control) : found;
}

// The layer and all ways to pad it.
PaddedResult search_padded(const LayerProblem& problem, const MapOptions& options, const SearchControl& control) {
    Budget budget;
    budget.evaluations = options.evaluations;
    if (options.time_limit_seconds) budget.time = std::chrono::duration<double>(*options.time_limit_seconds);
    budget.stop = control.stop;
    const auto search_one = [&](const Einsum& einsum, const Budget& share, const ProgressCallback& tell) {
        const LayerProblem padded{einsum, problem.architecture, problem.constraints};
        const Mapspace mapspace = mapspace_of(padded, options);
        SearchResult nothing;
        nothing.stopped = StopReason::empty_mapspace;
        if (!mapspace.problem().empty()) return nothing;
        MapOptions part = options;
        part.evaluations = share.evaluations;
        part.time_limit_seconds.reset();
        if (share.time) part.time_limit_seconds.emplace(share.time->count());
        return search_space(padded, mapspace, part, {control.stop, tell});
    };
    const std::vector<Einsum> einsums = paddings(problem.einsum, problem.architecture, problem.constraints);
    return search_paddings(einsums, options.objective, budget, search_one, control.progress);
}

PaddedResult search_layer_or_paddings(const LayerProblem& problem, const Mapspace& mapspace, const MapOptions& options,
                                      const SearchControl& control) {
    if (pads(options)) return search_padded(problem, options, control);
    PaddedResult found{search_space(problem, mapspace, options, control), problem.einsum, {}, 1};
    found.front_einsums.assign(found.result.front.size(), problem.einsum);
    return found;
}

FrontAnswer front_answer(const LayerProblem& problem, const FrontPoint& point, const Einsum& unpadded) {
    const Mapping mapping = verified(problem, point.point, point.uneven);
    const Evaluation evaluation = evaluate(problem.einsum, problem.architecture, mapping);
    FrontAnswer out{mapping, evaluation.energy_pj, evaluation.cycles, std::nullopt};
    if (problem.einsum != unpadded) out.padded = problem.einsum;
    return out;
}

SearchSummary summary_of(const SearchResult& found, const LayerProblem& problem, const MapOptions& options) {
    SearchSummary summary;
    summary.evaluations = found.statistics.evaluations;
    summary.valid = found.statistics.valid;
    summary.sampled = found.statistics.sampled;
    summary.stopped = found.stopped;
    summary.space = found.space;
    summary.lower_bound = found.lower_bound;
    summary.proven = is_proven(found);
    summary.claim = claim_of(found, problem.constraints, options);
    return summary;
}

// Verifies and evaluates what was found.
void fill_in(const LayerProblem& problem, const PaddedResult& found, LayerAnswer& answer) {
    const SearchResult& result = found.result;
    const LayerProblem mapped{found.einsum, problem.architecture, problem.constraints};
    answer.mapping = verified(mapped, result.best.value(), result.uneven);
    answer.evaluation = evaluate(mapped.einsum, mapped.architecture, *answer.mapping);
    for (std::size_t i = 0; i < result.front.size(); ++i)
        answer.front.push_back(front_answer({found.front_einsums[i], problem.architecture, problem.constraints},
                                            result.front[i], problem.einsum));
    if (found.einsum == problem.einsum) return;
    answer.unpadded = problem.einsum;
    answer.einsum = found.einsum;
}

}  // namespace

// A constraint may allow remainders whatever the factor rule says.
bool hybrid_stands_in(const Mapspace& mapspace, const MapOptions& options) {
    return options.mapper == MapperKind::automatic && intended_mapper(options) == MapperKind::optimal &&
           !OptimalMapper::is_quick(mapspace);
}

Mapspace mapspace_of(const LayerProblem& problem, const MapOptions& options) {
    return {problem.einsum, problem.architecture, problem.constraints, options.factors};
}

SearchResult search_layer(const LayerProblem& problem, const MapOptions& options, const SearchControl& control) {
    if (pads(options)) return search_padded(problem, options, control).result;
    return search_space(problem, mapspace_of(problem, options), options, control);
}

LayerAnswer map_layer(const LayerProblem& problem, const MapOptions& options, const SearchControl& control) {
    require_sound(options);
    LayerAnswer answer;
    answer.einsum = problem.einsum;
    const Mapspace mapspace = mapspace_of(problem, options);
    if (!mapspace.problem().empty() && !pads(options)) {
        answer.failures = {mapspace.problem()};
        return answer;
    }
    if (options.uneven && mapspace.has_remainders()) {
        answer.failures = {"--uneven does not know the remainders that a constraint allows"};
        return answer;
    }
    const PaddedResult found = search_layer_or_paddings(problem, mapspace, options, control);
    answer.search = summary_of(found.result, problem, options);
    if (found.result.best)
        fill_in(problem, found, answer);
    else
        answer.failures = {found.result.stopped == StopReason::empty_mapspace ? mapspace.problem()
                                                                              : failure_of(found.result)};
    return answer;
}

}  // namespace tilewright
