#include "search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/error.hpp"
#include "claims.hpp"
#include "frontend/timeloop/search_options.hpp"
#include "mapper/cosa.hpp"
#include "mapper/loop_orders.hpp"
#include "mapper/optimal.hpp"
#include "mapper/padded.hpp"
#include "mapping/validity.hpp"
#include "mapspace/mapspace.hpp"
#include "mapspace/padding.hpp"
#include "model/lean.hpp"
#include "model/model.hpp"
#include "orders/searches.hpp"
#include "report/number.hpp"

namespace tilewright::cli {
namespace {

// What the optimal mapper can prove, and what stands in where it cannot.
constexpr const char* kDefaultMapper = "optimal";
constexpr const char* kHeuristicMapper = "hybrid";
constexpr const char* kDefaultObjective = "edp";

// Timeloop's algorithms by ours.
std::string mapper_for(const std::string& algorithm, std::vector<std::string>& notes) {
    if (algorithm == "hybrid") return "hybrid";
    if (algorithm.starts_with("random")) return "random";
    if (algorithm == "linear_pruned") return "linear-pruned";
    if (algorithm == "exhaustive") return "exhaustive";
    notes.push_back(
        fmt::format("mapper: algorithm '{}' is not available, '{}' searches instead", algorithm, kHeuristicMapper));
    return kHeuristicMapper;
}

std::string objective_for(const std::string& metric) {
    if (metric == "delay") return "latency";
    return metric;
}

// The first metric that there is; what is left out is named.
std::string objective_for(const std::vector<std::string>& metrics, std::vector<std::string>& notes) {
    for (const std::string& metric : metrics) {
        if (metric != "last_level_accesses") return objective_for(metric);
        notes.emplace_back("mapper: the metric 'last_level_accesses' is not available; the next one counts instead");
    }
    return kDefaultObjective;
}

Objective objective_of(const SearchPlan& plan) {
    const std::optional<Objective> objective = parse_objective(plan.objective);
    if (!objective)
        fail_usage("map", fmt::format("--objective takes energy, latency, edp, ed2p, pareto or a product such as "
                                      "energy^2*latency, found '{}'{}",
                                      plan.objective,
                                      did_you_mean(plan.objective, {"energy", "latency", "edp", "ed2p", "pareto"})));
    return *objective;
}

Budget budget_of(const SearchPlan& plan, const Mapper& mapper, const StopSource& stop, std::optional<double> seconds) {
    Budget budget;
    budget.evaluations = plan.evaluations;
    if (seconds) budget.time = std::chrono::duration<double>(*seconds);
    // That of the mapper that searches, which may stand in for the plan's.
    budget.victory =
        plan.victory_is_default ? mapper.default_victory() : plan.victory.value_or(mapper.default_victory());
    budget.seed = static_cast<std::uint64_t>(plan.seed.value_or(1));
    budget.threads = static_cast<int>(plan.threads.value_or(0));
    if (plan.largest_space) budget.largest_space = *plan.largest_space;
    budget.stop = &stop;
    return budget;
}

// The mapping of an answer, judged by code that does not know who found it.
Mapping verified(const Task& task, const PerfectPoint& point, const std::optional<Mapping>& uneven) {
    Mapping mapping = uneven ? *uneven : mapping_of(point, task.einsum).value();
    const std::vector<Violation> violations = check(task.einsum, task.architecture, mapping);
    if (!violations.empty())
        throw std::logic_error("the mapper found an illegal mapping: " + violations.front().message);
    return mapping;
}

bool pads(const SearchPlan& plan) { return plan.factors == name_of(FactorRule::padded); }

// Whether the optimal mapper has a proof for a factor rule, however many mappings there are.
bool proves(const std::string& factors) {
    return factors.empty() || factors == name_of(FactorRule::perfect) || factors == name_of(FactorRule::padded);
}

// Likewise, though it may take so long that somebody has to ask for it.
bool may_prove(const std::string& factors) { return proves(factors) || factors == name_of(FactorRule::ruby_s); }

std::string failure_of(const SearchResult& found) {
    if (!found.remark.empty()) return found.remark;
    if (found.stopped == StopReason::too_large)
        return fmt::format("at least {} mappings are too many to visit all; --largest-space sets the limit",
                           report::count_text(found.space.value()));
    return "no legal mapping found: " + std::string(stop_reason_text(found.stopped));
}

std::unique_ptr<Mapper> mapper_of(const Task& task, const SearchPlan& plan) {
    if (plan.mapper == "cosa") return std::make_unique<CosaMapper>(plan.cosa.options(task.einsum));
    if (plan.mapper == "loma" || plan.mapper == "salsa") return plan.orders.mapper(plan.mapper);
    if (plan.uneven) return std::make_unique<OptimalMapper>(OptimalMapper::Options{.uneven = true});
    return make_mapper(plan.mapper);
}

SearchResult search_space(const Task& task, const Mapspace& mapspace, const SearchPlan& plan, const StopSource& stop,
                          std::optional<double> seconds, const ProgressCallback& progress) {
    const LeanEvaluator evaluator(task.einsum, task.architecture);
    const bool stands_in = hybrid_stands_in(mapspace, plan);
    const std::unique_ptr<Mapper> mapper = stands_in ? make_mapper(kHeuristicMapper) : mapper_of(task, plan);
    SearchResult found =
        mapper->search(mapspace, evaluator, objective_of(plan), budget_of(plan, *mapper, stop, seconds), progress);
    if (stands_in && found.best && found.remark.empty())
        found.remark =
            fmt::format("found by {}, not proven: there is too much to choose from; --mapper {} takes its time",
                        kHeuristicMapper, kDefaultMapper);
    const bool gave_up =
        !found.best && plan.mapper_is_of_file && plan.mapper != kDefaultMapper && may_prove(plan.factors);
    if (!gave_up || stop.requested()) return found;
    const OptimalMapper optimal;  // what a file asks for is no reason to have no answer
    SearchResult second =
        optimal.search(mapspace, evaluator, objective_of(plan), budget_of(plan, optimal, stop, seconds), progress);
    if (second.best && second.remark.empty() && second.stopped != StopReason::proven)
        second.remark = fmt::format("the file's {} found no legal mapping, {} did", plan.mapper, kDefaultMapper);
    return second;
}

// The layer and all ways to pad it.
PaddedResult search_padded(const Task& task, const SearchPlan& plan, const StopSource& stop,
                           std::optional<double> seconds, const ProgressCallback& progress) {
    Budget budget;
    budget.evaluations = plan.evaluations;
    if (seconds) budget.time = std::chrono::duration<double>(*seconds);
    budget.stop = &stop;
    const auto search_one = [&](const Einsum& einsum, const Budget& share, const ProgressCallback& tell) {
        const Task padded{einsum, task.architecture, task.constraints};
        const Mapspace mapspace = mapspace_of(padded, plan);
        SearchResult nothing;
        nothing.stopped = StopReason::empty_mapspace;
        if (!mapspace.problem().empty()) return nothing;
        SearchPlan part = plan;
        part.evaluations = share.evaluations;
        std::optional<double> limit;
        if (share.time) limit.emplace(share.time->count());
        return search_space(padded, mapspace, part, stop, limit, tell);
    };
    const std::vector<Einsum> einsums = paddings(task.einsum, task.architecture, task.constraints);
    return search_paddings(einsums, objective_of(plan), budget, search_one, progress);
}

PaddedResult search_layer_or_paddings(const Task& task, const Mapspace& mapspace, const SearchPlan& plan,
                                      const StopSource& stop, std::optional<double> seconds,
                                      const ProgressCallback& progress) {
    if (pads(plan)) return search_padded(task, plan, stop, seconds, progress);
    PaddedResult found{search_space(task, mapspace, plan, stop, seconds, progress), task.einsum, {}, 1};
    found.front_einsums.assign(found.result.front.size(), task.einsum);
    return found;
}

report::FrontMapping front_mapping(const Task& task, const FrontPoint& point, const Einsum& unpadded) {
    const Mapping mapping = verified(task, point.point, point.uneven);
    const Evaluation evaluation = evaluate(task.einsum, task.architecture, mapping);
    report::FrontMapping out{mapping, evaluation.energy_pj, evaluation.cycles, std::nullopt};
    if (task.einsum != unpadded) out.padded = task.einsum;
    return out;
}

}  // namespace

// A constraint may allow remainders whatever --factors says.
bool hybrid_stands_in(const Mapspace& mapspace, const SearchPlan& plan) {
    return plan.mapper_is_default && plan.mapper == kDefaultMapper && !OptimalMapper::is_quick(mapspace);
}

Mapspace mapspace_of(const Task& task, const SearchPlan& plan) {
    return {task.einsum, task.architecture, task.constraints,
            factor_rule_named(plan.factors).value_or(FactorRule::perfect)};
}

std::vector<std::string> SearchPlan::factor_rules() { return {"perfect", "ruby", "ruby-s", "ruby-t", "padded"}; }

void SearchPlan::declare(Options& options) {
    std::vector<std::string> names = mapper_names();
    for (const orders::Search& search : orders::searches())  // of ZigZag's files
        if (std::find(names.begin(), names.end(), search.name) == names.end()) names.emplace_back(search.name);
    options.value("mapper", 'm', "WHICH", "the search strategy", &mapper).choices = names;
    options
        .value("factors", 0, "RULE",
               "which loops may leave a remainder: none (the default), all, spatial or temporal ones; or none, but "
               "extents may be padded to fill a fan-out",
               &factors)
        .choices = factor_rules();
    options.flag("uneven", 0,
                 "search uneven mappings too: tensors of one memory stored at different places (--mapper optimal)",
                 &uneven);
    declare_effort(options);
    orders.declare(options);
    cosa.declare(options);
}

void SearchPlan::declare_effort(Options& options) {
    options.value(
        "objective", 0, "WHAT",
        "energy, latency, edp (default), a product such as energy^2*latency, or pareto: a front of energy and latency",
        &objective);
    options.value("seed", 's', "N", "of the random numbers; the same seed gives the same result (default 1)", &seed);
    options.value("threads", 't', "N", "0, the default: all there are; does not change the result", &threads);
    options.value("evaluations", 0, "N", "legal mappings to cost per layer at most", &evaluations);
    options.value("victory", 0, "N", "stop a layer after so many legal mappings in a row that are not better; 0: never",
                  &victory);
    options.value("largest-space", 0, "N",
                  "exhaustive refuses a layer with more mappings (default 100000000); 0: takes any", &largest_space);
    options.value("time-limit", 0, "SECONDS", "for all layers together; the result then depends on the machine's speed",
                  &time_limit_seconds);
}

std::vector<std::string> SearchPlan::resolve(const yaml::Node& root) {
    std::vector<std::string> notes;
    const timeloop::SearchOptions file = timeloop::read_search_options(root);
    if (factors.empty())
        factors = file.factors.value_or("");
    else if (file.factors && *file.factors != factors)
        notes.push_back(fmt::format("mapspace: --factors {} is used, not its template", factors));
    mapper_is_of_file = mapper.empty() && file.algorithm;
    if (mapper_is_of_file) mapper = mapper_for(*file.algorithm, notes);
    mapper_is_default = mapper.empty();
    if (mapper.empty()) mapper = may_prove(factors) ? kDefaultMapper : kHeuristicMapper;
    if (mapper == kDefaultMapper && may_prove(factors) && (victory || evaluations))
        notes.emplace_back(
            mapper_is_default && !proves(factors)
                ? "optimal ends with its proof: --victory and --evaluations are for layers with too many "
                  "choices, which hybrid searches"
                : "optimal ends with its proof: --victory and --evaluations are not used");
    if (uneven && (mapper != kDefaultMapper || !proves(factors)))
        fail_usage("map", "--uneven is for --mapper optimal and perfect or padded factors");
    check_cosa();
    orders.check(mapper);
    if (objective.empty() && !file.metrics.empty()) objective = objective_for(file.metrics, notes);
    if (objective.empty()) objective = kDefaultObjective;
    objective_of(*this);  // refuses what is none
    if (!victory) victory = file.victory_condition;
    if (!evaluations) evaluations = file.search_size;
    if (!threads) threads = file.threads;
    if (file.timeout)
        notes.push_back(
            fmt::format("mapper: timeout {} is not used; the search gives up after {} illegal mappings in a row",
                        *file.timeout, Budget{}.fruitless));
    if (!file.display.empty()) notes.push_back("mapper: only Timeloop itself uses " + list_words(file.display));
    if (threads && *threads > 1024) fail_usage("map", fmt::format("--threads takes at most 1024, found {}", *threads));
    victory_is_default = !victory;
    if (!victory) victory = make_mapper(mapper)->default_victory();
    const std::vector<std::string> end_by_themselves{"exhaustive", "linear-pruned", "optimal", "cosa", "loma", "salsa"};
    const bool ends_by_itself =
        std::find(end_by_themselves.begin(), end_by_themselves.end(), mapper) != end_by_themselves.end();
    if (*victory == 0 && !ends_by_itself && !evaluations && !time_limit_seconds)
        notes.emplace_back("nothing ends this search but Ctrl-C: --victory 0 without --evaluations or --time-limit");
    return notes;
}

void SearchPlan::check_cosa() const {
    if (mapper != "cosa") {
        if (cosa.given()) fail_usage("map", "the options --cosa-... are for --mapper cosa");
        return;
    }
    cosa.options();
    if (!proves(factors) || pads(*this))
        fail_usage("map", "--mapper cosa knows perfect factors only; with --factors " + factors + " use another one");
}

std::vector<std::pair<std::string, std::string>> SearchPlan::for_the_report() const {
    std::vector<std::pair<std::string, std::string>> options{{"mapper", mapper}, {"objective", objective}};
    if (uneven) options.emplace_back("uneven", "true");
    if (!factors.empty()) options.emplace_back("factors", factors);
    if (victory) options.emplace_back("victory", std::to_string(*victory));
    if (evaluations) options.emplace_back("evaluations", std::to_string(*evaluations));
    if (time_limit_seconds) options.emplace_back("time_limit_seconds", fmt::format("{}", *time_limit_seconds));
    for (auto& given : orders.for_the_report(mapper)) options.push_back(std::move(given));
    for (auto& given : cosa.for_the_report()) options.push_back(std::move(given));
    return options;
}

SearchResult search_task(const Task& task, const SearchPlan& plan, const StopSource& stop,
                         std::optional<double> seconds, const ProgressCallback& progress) {
    if (pads(plan)) return search_padded(task, plan, stop, seconds, progress).result;
    return search_space(task, mapspace_of(task, plan), plan, stop, seconds, progress);
}

void search_layer(const Task& task, const SearchPlan& plan, const StopSource& stop, std::optional<double> seconds,
                  const ProgressCallback& progress, report::LayerResult& result) {
    const Mapspace mapspace = mapspace_of(task, plan);
    if (!mapspace.problem().empty() && !pads(plan)) {
        result.failures = {mapspace.problem()};
        return;
    }
    if (plan.uneven && mapspace.has_remainders()) {
        result.failures = {"--uneven does not know the remainders that a constraint allows"};
        return;
    }
    const PaddedResult answer = search_layer_or_paddings(task, mapspace, plan, stop, seconds, progress);
    const SearchResult& found = answer.result;
    result.search = report::SearchStatistics{found.statistics.evaluations,
                                             found.statistics.valid,
                                             std::string(stop_reason_text(found.stopped)),
                                             found.space,
                                             found.lower_bound,
                                             is_proven(found),
                                             claim_of(found, task, plan),
                                             found.statistics.sampled};
    if (!found.best) {
        result.failures = {found.stopped == StopReason::empty_mapspace ? mapspace.problem() : failure_of(found)};
        return;
    }
    const Task mapped{answer.einsum, task.architecture, task.constraints};
    result.mapping = verified(mapped, *found.best, found.uneven);
    result.evaluation = evaluate(mapped.einsum, mapped.architecture, *result.mapping);
    for (std::size_t i = 0; i < found.front.size(); ++i)
        result.front.push_back(
            front_mapping({answer.front_einsums[i], task.architecture, task.constraints}, found.front[i], task.einsum));
    if (answer.einsum == task.einsum) return;
    result.unpadded = task.einsum;
    result.einsum = answer.einsum;  // may be what task.einsum refers to: nothing uses it from here on
}

}  // namespace tilewright::cli
