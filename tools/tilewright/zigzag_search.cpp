#include "zigzag_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "interrupt.hpp"
#include "orders/layers.hpp"
#include "output.hpp"
#include "report/number.hpp"
#include "status_line.hpp"

namespace tilewright::cli {
namespace {

constexpr const char* kDefaultObjective = "energy";
constexpr std::int64_t kLargestSpace = 100'000'000;

// What proves is the default; it proves energies.
const orders::Search& search_of(const SearchPlan& plan) {
    const bool energy = plan.objective.empty() || plan.objective == kDefaultObjective;
    const std::string name = !plan.mapper.empty() ? plan.mapper : energy ? "optimal" : "anneal";
    if (const orders::Search* search = orders::find_search(name)) return *search;
    std::vector<std::string> names;
    for (const orders::Search& search : orders::searches()) names.emplace_back(search.name);
    fail_usage("map", fmt::format("ZigZag's files are searched by {}, not by '{}'", list_words(names), name));
}

// `least` is the smallest value that makes sense.
template <class Value>
void require(const char* option, const std::optional<Value>& value, Value least, Value most) {
    if (value && (*value < least || *value > most))
        fail_usage("map", fmt::format("--{} takes {} to {}, found {}", option, least, most, *value));
}

void refuse(const char* option, bool given) {
    if (given) fail_usage("map", fmt::format("--{} has no meaning for ZigZag's files", option));
}

orders::Settings settings_of(const SearchPlan& plan, const OrderOptions& options, const StopSource& stop) {
    refuse("factors", !plan.factors.empty());
    refuse("evaluations", plan.evaluations.has_value());
    refuse("victory", plan.victory.has_value());
    refuse("time-limit", plan.time_limit_seconds.has_value());
    require<std::int64_t>("lpf-limit", options.lpf_limit, 1, 64);
    require<std::int64_t>("iterations", options.iterations, 1, 1'000'000'000'000);
    require<std::int64_t>("chains", options.chains, 1, 1'000'000'000);
    require<std::int64_t>("threads", plan.threads, 0, 1024);
    require<double>("cooling", options.cooling, 1e-9, 1.0);
    orders::Settings settings;
    const std::string objective = plan.objective.empty() ? kDefaultObjective : plan.objective;
    const std::optional<Objective> parsed = parse_objective(objective);
    if (!parsed || parsed->kind == ObjectiveKind::pareto)
        fail_usage("map", fmt::format("--objective takes energy, latency, edp, ed2p or a product such as "
                                      "energy^2*latency for ZigZag's files, found '{}'",
                                      objective));
    settings.objective = *parsed;
    settings.lpf_limit = static_cast<int>(options.lpf_limit.value_or(settings.lpf_limit));
    settings.iterations = options.iterations;
    settings.chains = options.chains.value_or(1);
    settings.cooling.factor = options.cooling.value_or(settings.cooling.factor);
    settings.most_orders = plan.largest_space.value_or(kLargestSpace);
    if (settings.most_orders == 0) settings.most_orders = std::numeric_limits<std::int64_t>::max();
    settings.seed = static_cast<std::uint64_t>(plan.seed.value_or(1));
    settings.threads = static_cast<int>(plan.threads.value_or(0));
    settings.stop = &stop;
    return settings;
}

const char* why_it_stopped(const orders::Answer& answer) {
    if (answer.interrupted) return "an interruption";
    if (!answer.complete) return "the last iteration of annealing";
    return answer.engine == "exhaustive" ? "the last order: all were seen" : "a proof: no order costs less";
}

// The answer as judged by the full account, which does not know who found it.
void fill_in(const zigzag::Accelerator& accelerator, const orders::Answer& answer, report::ZigzagLayer& layer) {
    report::SearchStatistics& search = layer.search.emplace();
    search.evaluations = answer.evaluations;
    search.valid = answer.fitting;
    search.stopped_by = why_it_stopped(answer);
    if (answer.orders != 0) search.space = static_cast<double>(answer.orders);
    if (!answer.failure.empty()) {
        layer.failures = {answer.failure};
        return;
    }
    layer.mapping = answer.mapping;
    layer.result = zigzag::evaluate(accelerator, layer.layer, layer.spatial, answer.mapping);
    if (!layer.result->refusal.empty() || layer.result->energy_pj() != answer.cost.energy_pj)
        throw std::logic_error("the search and the full account do not agree on layer '" + layer.layer.name + "'");
}

std::vector<orders::Problem> problems_of(Inputs& inputs, zigzag::Evenness evenness, report::ZigzagReport& report) {
    ZigzagInputs& files = inputs.zigzag();
    const std::vector<zigzag::WorkloadLayer> layers = files.layers("map");
    if (!files.has_mapping()) fail_usage("map", "no spatial mapping: give a ZigZag mapping file");
    std::vector<std::string> names;
    for (const zigzag::WorkloadLayer& one : layers) names.push_back(one.layer.name);
    const std::vector<bool> wanted = inputs.wanted(names, report.network);
    std::vector<orders::Problem> problems;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (!wanted[i]) continue;
        const ZigzagProblem problem = files.problem("map", layers[i].layer);
        report.layers.push_back({problem.layer, problem.unrolling, problem.spatial, {}, {}, {}, {}});
        problems.push_back(
            {report.accelerator, problem.layer, problem.spatial.fractional, problem.spatial.whole, evenness});
    }
    return problems;
}

// Layers that the accelerator cannot hold at all are not searched.
void set_refused_apart(std::vector<orders::Problem>& problems, std::vector<std::size_t>& places,
                       report::ZigzagReport& report) {
    std::vector<orders::Problem> sound;
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const std::string problem = problem_with(report.accelerator, problems[i].layer);
        if (!problem.empty()) {
            report.layers[i].failures = {problem};
            continue;
        }
        places.push_back(i);
        sound.push_back(std::move(problems[i]));
    }
    problems = std::move(sound);
}

std::vector<std::pair<std::string, std::string>> options_for_the_report(const orders::Search& search,
                                                                        const orders::Settings& settings,
                                                                        const OrderOptions& options) {
    std::vector<std::pair<std::string, std::string>> list{
        {"mapper", std::string(search.name)},
        {"objective", std::string(objective_name(settings.objective.kind))},
        {"allocation", options.even ? "even" : "uneven"}};
    if (search.name == "loma") list.emplace_back("lpf_limit", std::to_string(settings.lpf_limit));
    if (settings.iterations) list.emplace_back("iterations", std::to_string(*settings.iterations));
    if (options.chains) list.emplace_back("chains", std::to_string(settings.chains));
    if (options.cooling) list.emplace_back("cooling", fmt::format("{}", settings.cooling.factor));
    return list;
}

}  // namespace

void OrderOptions::declare(Options& options) {
    options.flag("even", 0, "zigzag: operands that share a memory keep the same loops there", &even);
    options.value("lpf-limit", 0, "N", "loma: prime factors to be ordered at most (default 6)", &lpf_limit);
    options.value("iterations", 0, "N", "salsa, anneal on ZigZag's files: of one chain (default 1000 and 20000)",
                  &iterations);
    options.value("chains", 0, "N", "salsa, anneal on ZigZag's files: how many, of which the best counts (default 1)",
                  &chains);
    options.value("cooling", 0, "FACTOR", "salsa: of the temperature, by iteration (default 0.999; ZigZag has 0.995)",
                  &cooling);
}

void OrderOptions::refuse_elsewhere(const SearchPlan& plan) const {
    const std::vector<std::string> names = own_mappers();
    if (std::find(names.begin(), names.end(), plan.mapper) != names.end())
        fail_usage("map", fmt::format("--mapper {} orders the loops of ZigZag's own files: give its accelerator, "
                                      "workload and mapping",
                                      plan.mapper));
    const auto only_there = [](const char* option, bool given) {
        if (given) fail_usage("map", fmt::format("--{} only serves searches on ZigZag's own files", option));
    };
    only_there("even", even);
    only_there("lpf-limit", lpf_limit.has_value());
    only_there("iterations", iterations.has_value());
    only_there("chains", chains.has_value());
    only_there("cooling", cooling.has_value());
}

report::ZigzagReport search_zigzag_files(Inputs& inputs, const SearchPlan& plan, const OrderOptions& options,
                                         bool quiet) {
    StopSource stop;
    const orders::Search& search = search_of(plan);
    const orders::Settings settings = settings_of(plan, options, stop);
    report::ZigzagReport report;
    report.accelerator = inputs.zigzag().accelerator("map");
    report.network = inputs.zigzag().network();
    report.notes = inputs.zigzag().notes();
    std::vector<orders::Problem> problems =
        problems_of(inputs, options.even ? zigzag::Evenness::even : zigzag::Evenness::uneven, report);
    std::vector<std::size_t> places;
    set_refused_apart(problems, places, report);
    const Interrupt interrupt(stop);
    StatusLine line(!quiet);
    std::size_t finished = 0;
    const auto done = [&](std::size_t i, const orders::Answer& answer) {
        line.show(fmt::format("[{}/{}] {}  {} orders costed", ++finished, problems.size(), problems[i].layer.name,
                              report::count_text(answer.evaluations)));
    };
    const std::vector<orders::Answer> answers = orders::search_layers(problems, search, settings, done);
    for (std::size_t i = 0; i < answers.size(); ++i) fill_in(report.accelerator, answers[i], report.layers[places[i]]);
    report.interrupted = interrupt.happened();
    report.provenance = provenance("map", inputs.read());
    report.provenance.accounting = "zigzag";
    report.provenance.seed = settings.seed;
    report.provenance.options = options_for_the_report(search, settings, options);
    return report;
}

}  // namespace tilewright::cli
