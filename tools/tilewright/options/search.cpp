#include "options/search.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/cosa/cosa.hpp"
#include "mapper/loop_orders.hpp"
#include "mapper/mapper.hpp"
#include "mapper/timeloop/timeloop.hpp"
#include "options/verb.hpp"
#include "run/explore/design_knobs.hpp"
#include "run/report_of.hpp"
#include "timeloop/files/search_options.hpp"
#include "verbs/map/dataflow_search.hpp"
#include "zigzag/orders/searches.hpp"

namespace tilewright::cli {
namespace {

// What the options of the mappers themselves ask for.
void set_own_options(const SearchPlan& plan, MapOptions& map) {
    if (map.mapper == MapperKind::cosa)
        map.made_by = [cosa = plan.cosa](const Einsum& einsum) {
            return std::make_unique<CosaMapper>(cosa.options(einsum));
        };
    if (map.mapper != MapperKind::loma && map.mapper != MapperKind::salsa) return;
    const bool loma = map.mapper == MapperKind::loma;
    const auto strategy = loma ? LoopOrderMapper::Strategy::loma : LoopOrderMapper::Strategy::salsa;
    map.made_by = [strategy, options = plan.orders.loop_orders()](const Einsum&) {
        return std::make_unique<LoopOrderMapper>(strategy, options);
    };
}

void check_own_options(const SearchPlan& plan, const MapOptions& map) {
    if (map.mapper != MapperKind::cosa && plan.cosa.given())
        fail_usage("map", "the options --cosa-... are for --mapper cosa");
    if (map.mapper == MapperKind::cosa) plan.cosa.options();
    plan.orders.check(std::string(name_of(intended_mapper(map))));
}

std::vector<std::pair<std::string, std::string>> words_for_the_report(const SearchPlan& plan,
                                                                      const SearchSettings& settings) {
    auto list = provenance_options(settings.map, settings.objective, settings.factors);
    for (auto& given : plan.orders.for_the_report(std::string(name_of(intended_mapper(settings.map)))))
        list.push_back(std::move(given));
    if (settings.map.mapper == MapperKind::cosa)
        for (auto& given : plan.cosa.for_the_report()) list.push_back(std::move(given));
    return list;
}

}  // namespace

int threads_of(std::optional<std::int64_t> threads) { return static_cast<int>(threads.value_or(0)); }

Objective one_objective(const std::string& verb, const std::string& text, const std::string& of) {
    const std::optional<Objective> objective = parse_objective(text.empty() ? "edp" : text);
    if (objective && objective->kind != ObjectiveKind::pareto) return *objective;
    fail_usage(verb,
               fmt::format("--objective takes energy, latency, edp, ed2p or a product such as energy^2*latency{}, "
                           "found '{}'",
                           of, text));
}

void SearchPlan::declare(Options& options) {
    options.group("Search");
    std::vector<std::string> names = mapper_names();
    for (const orders::Search& search : orders::searches())  // of ZigZag's files
        if (std::find(names.begin(), names.end(), search.name) == names.end()) names.emplace_back(search.name);
    for (const std::string& name : dataflow_mapper_names()) names.push_back(name);
    options.value("mapper", 'm', "WHICH", "the search strategy", &mapper).choices = names;
    options
        .value("factors", 0, "RULE",
               "loops with a remainder: none (the default), all, spatial or temporal ones; or none, but "
               "extents may be padded to fill a fan-out",
               &factors)
        .choices = factor_rule_names();
    options.flag("uneven", 0,
                 "search uneven mappings too: tensors of one memory stored at different places (--mapper optimal)",
                 &uneven);
    declare_effort(options);
    declare_timeloops(options);
    orders.declare(options);
    cosa.declare(options);
}

void SearchPlan::declare_effort(Options& options) {
    options.group("Search");
    options
        .value("objective", 0, "WHAT",
               "energy, latency, edp (default), a product such as energy^2*latency, or pareto: a front of energy and "
               "latency; after a comma the tie-breaker: edp,latency",
               &objective)
        .completes = "objective";
    options.value("seed", 's', "N", "of the random numbers; the same seed gives the same result (default 1)", &seed);
    options.value("threads", 't', "N", "0, the default: all there are; does not change the result", &threads)
        .between(0, kMostThreads);
    options.value("evaluations", 0, "N", "legal mappings to cost per layer at most", &evaluations);
    options.value("victory", 0, "N", "stop a layer after so many legal mappings in a row without progress; 0: never",
                  &victory);
    options.value("largest-space", 0, "N",
                  "exhaustive refuses a layer with more mappings (default 100000000); 0: takes any", &largest_space);
    options.value("time-limit", 0, "SECONDS", "for all layers together; the result then depends on the machine's speed",
                  &time_limit_seconds);
}

SearchWishes SearchPlan::wishes() const {
    SearchWishes wishes{.mapper = std::nullopt,
                        .objective = objective,
                        .factors = factors,
                        .uneven = uneven,
                        .seed = std::nullopt,
                        .threads = threads,
                        .evaluations = evaluations,
                        .victory = victory,
                        .largest_space = largest_space,
                        .streams = streams,
                        .timeout = timeout,
                        .time_limit_seconds = time_limit_seconds,
                        .dashes = "--"};
    if (!mapper.empty()) wishes.mapper = mapper_kind_named(mapper);
    if (seed) wishes.seed = static_cast<std::uint64_t>(*seed);
    return wishes;
}

void SearchPlan::declare_timeloops(Options& options) {
    options.group("Search");
    options.value("streams", 0, "N",
                  "timeloop-...: as many of Timeloop's threads, each with its share of the factors (default 1)",
                  &streams);
    options.value("timeout", 0, "N",
                  "timeloop-...: a stream gives up after so many illegal mappings in a row (default 1000); 0: never",
                  &timeout);
}

PlannedSearch SearchPlan::settle(const yaml::Node& root) const {
    if (is_dataflow_mapper(mapper))
        fail_usage("map", "--mapper " + mapper + " searches dataflows, which only tilewright map does");
    const timeloop::SearchOptions file = timeloop::read_search_options(root);
    return in_the_words_of("map", [&] {
        PlannedSearch search{settled(wishes(), file), {}};
        check_own_options(*this, search.map);
        if (!search.map.made_by) set_own_options(*this, search.map);
        search.for_the_report = words_for_the_report(*this, search);
        return search;
    });
}

void SearchPlan::check(const NetworkProblem& problem) const {
    for (const ShapeProblem& shape : problem.shapes) cosa.options(shape.layer.einsum);
}

void OrderOptions::declare(Options& options) {
    options.group("Search of loop orders");
    zigzag.declare(options);
    options.value("lpf-limit", 0, "N", "loma: prime factors to be ordered at most (default 6)", &lpf_limit)
        .between(1, 64);
    options
        .value("iterations", 0, "N", "salsa, and anneal on ZigZag's files: of one chain (default 1000, anneal 20000)",
               &iterations)
        .between(1, 1'000'000'000'000);
    options
        .value("chains", 0, "N", "salsa, and anneal on ZigZag's files: how many, of which the best counts (default 1)",
               &chains)
        .between(1, 1'000'000'000);
    options.value("cooling", 0, "FACTOR", "salsa: of the temperature, by iteration (default 0.999; ZigZag has 0.995)",
                  &cooling);
}

void OrderOptions::check_values() const {
    if (cooling && (*cooling < 1e-9 || *cooling > 1.0))
        fail_usage("map", fmt::format("--cooling takes 1e-09 to 1, found {}", *cooling));
}

void OrderOptions::check(const std::string& mapper) const {
    check_values();
    const auto only_for = [&](const char* option, bool given, const char* which) {
        if (given && mapper != which)
            fail_usage("map", fmt::format("--{} is for --mapper {} and ZigZag's own files", option, which));
    };
    if (zigzag.even) fail_usage("map", "--even only serves searches on ZigZag's own files");
    if (zigzag.is_for_other_files())
        fail_usage("map", "--latency " + zigzag.latency + " is for the verbs map and evaluate");
    if (!zigzag.latency.empty()) fail_usage("map", "--latency only serves searches on ZigZag's own files");
    only_for("lpf-limit", lpf_limit.has_value(), "loma");
    only_for("iterations", iterations.has_value(), "salsa");
    only_for("chains", chains.has_value(), "salsa");
    only_for("cooling", cooling.has_value(), "salsa");
}

LoopOrderMapper::Options OrderOptions::loop_orders() const {
    LoopOrderMapper::Options options;
    options.lpf_limit = static_cast<int>(lpf_limit.value_or(options.lpf_limit));
    options.iterations = iterations.value_or(options.iterations);
    options.chains = chains.value_or(options.chains);
    options.cooling.factor = cooling.value_or(options.cooling.factor);
    return options;
}

LoopOrderOptions OrderOptions::on_zigzag() const {
    LoopOrderOptions options;
    options.lpf_limit = static_cast<int>(lpf_limit.value_or(options.lpf_limit));
    options.iterations = iterations;
    options.chains = chains.value_or(options.chains);
    options.cooling.factor = cooling.value_or(options.cooling.factor);
    return options;
}

std::vector<std::pair<std::string, std::string>> OrderOptions::for_the_report(const std::string& mapper) const {
    std::vector<std::pair<std::string, std::string>> list;
    if (mapper == "loma") list.emplace_back("lpf_limit", std::to_string(lpf_limit.value_or(6)));
    if (iterations) list.emplace_back("iterations", std::to_string(*iterations));
    if (chains) list.emplace_back("chains", std::to_string(*chains));
    if (cooling) list.emplace_back("cooling", fmt::format("{}", *cooling));
    return list;
}

}  // namespace tilewright::cli
