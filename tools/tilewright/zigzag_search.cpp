#include "zigzag_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
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

void refuse(const char* option, bool given) {
    if (given) fail_usage("map", fmt::format("--{} has no meaning for ZigZag's files", option));
}

orders::Settings settings_of(const SearchPlan& plan, const StopSource& stop) {
    const OrderOptions& options = plan.orders;
    refuse("factors", !plan.factors.empty());
    refuse("evaluations", plan.evaluations.has_value());
    refuse("victory", plan.victory.has_value());
    options.check_values();
    if (plan.threads && (*plan.threads < 0 || *plan.threads > 1024))
        fail_usage("map", fmt::format("--threads takes 0 to 1024, found {}", *plan.threads));
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
    settings.seconds = plan.time_limit_seconds;
    return settings;
}

std::string why_it_stopped(const orders::Answer& answer, bool by_user) {
    if (answer.interrupted) return by_user ? "an interruption" : "the time limit";
    if (answer.engine == "annealing") return "the last iteration of annealing";
    if (!answer.complete) return "the last order of a limited number of prime factors";
    return answer.engine == "exhaustive" ? "the last order: all were seen" : "a proof: no order costs less";
}

// Of several unrollings: what ended the search that says least, if there is one, else that of the best.
const orders::Answer& least_complete(std::span<const orders::Answer> answers, const orders::Answer& best) {
    const auto one =
        std::find_if(answers.begin(), answers.end(), [](const orders::Answer& answer) { return !answer.complete; });
    return one == answers.end() ? best : *one;
}

// The answer as judged by the full account, which does not know who found it.
void fill_in(const zigzag::Accelerator& accelerator, const ZigzagProblem& problem, const orders::Answer& answer,
             const ZigzagOptions& options, report::ZigzagLayer& layer) {
    layer.search->proven = answer.complete && answer.failure.empty();
    if (answer.orders != 0) layer.search->space = static_cast<double>(answer.orders);
    if (!answer.failure.empty()) {
        layer.failures = {answer.failure};
        return;
    }
    layer.mapping = answer.mapping;
    layer.result = evaluate_zigzag(accelerator, problem, answer.mapping, options);
    if (!layer.result->refusal.empty() || layer.result->energy_pj() != answer.cost.energy_pj ||
        layer.result->latency.total() != answer.cost.latency_cycles)
        throw std::logic_error("the search and the full account do not agree on layer '" + layer.layer.name + "'");
}

// One unrolling of one layer, to be searched.
struct Job {
    std::size_t layer;  ///< in the report
    ZigzagProblem given;
    orders::Problem problem;
};

// A mapping that the file gives in whole, as loops or as an order of them, is not searched, as in ZigZag. Of several
// unrollings the first that it is complete for counts.
bool keeps_given_mapping(const zigzag::Accelerator& accelerator, const std::vector<ZigzagProblem>& unrollings,
                         const ZigzagOptions& options, report::ZigzagReport& report) {
    const zigzag::MappingEntry* entry = unrollings.front().entry;
    if (entry == nullptr || (entry->ordering.empty() && !entry->temporal)) return false;
    report::ZigzagLayer& layer = report.layers.back();
    const std::string of = "layer '" + layer.layer.name + "': entry '" + entry->name + "' of the mapping file ";
    for (const ZigzagProblem& one : unrollings) {
        const auto evenness = options.even ? zigzag::Evenness::even : zigzag::Evenness::uneven;
        const GivenMapping given = given_mapping(one, accelerator, evenness);
        if (!given.complete || zigzag::leaves_sizes_open(*entry)) continue;
        layer.unrolling = one.unrolling;
        layer.spatial = one.spatial;
        report.notes.push_back(of + "gives the order of the loops; no other was tried");
        if (!given.mapping) {
            layer.failures = {given.failure};
            return true;
        }
        layer.mapping = given.mapping;
        zigzag::Result result = evaluate_zigzag(accelerator, one, *given.mapping, options);
        if (!result.refusal.empty())
            layer.failures = {result.refusal};
        else
            layer.result = std::move(result);
        return true;
    }
    report.notes.push_back(of + "orders some of the loops; only orders that begin and end so were searched");
    return false;
}

// Layers that the accelerator cannot hold at all are refused at once.
void add_jobs(const zigzag::Accelerator& accelerator, std::vector<ZigzagProblem> unrollings,
              const ZigzagOptions& options, report::ZigzagReport& report, std::vector<Job>& jobs) {
    const auto evenness = options.even ? zigzag::Evenness::even : zigzag::Evenness::uneven;
    const auto latency = options.latency == "stalls" ? orders::LatencyModel::stalls : orders::LatencyModel::zigzag;
    const ZigzagProblem& first = unrollings.front();
    report.layers.push_back({first.layer, first.unrolling, first.spatial, {}, {}, {}, {}});
    if (const std::string problem = problem_with(accelerator, first.layer); !problem.empty()) {
        report.layers.back().failures = {problem};
        return;
    }
    if (keeps_given_mapping(accelerator, unrollings, options, report)) return;
    for (ZigzagProblem& one : unrollings) {
        const zigzag::GivenOrder given = one.entry == nullptr
                                             ? zigzag::GivenOrder{}
                                             : zigzag::given_order(*one.entry, one.layer, one.spatial.fractional);
        orders::Problem problem{
            accelerator, one.layer, one.spatial.fractional, one.spatial.whole, evenness, one.unrolling, latency, given};
        jobs.push_back({report.layers.size() - 1, std::move(one), std::move(problem)});
    }
}

std::vector<Job> jobs_of(Inputs& inputs, const ZigzagOptions& options, report::ZigzagReport& report) {
    ZigzagInputs& files = inputs.zigzag();
    const std::vector<zigzag::WorkloadLayer> layers = files.layers("map");
    if (!files.has_mapping()) fail_usage("map", "no spatial mapping: give a ZigZag mapping file");
    std::vector<std::string> names;
    for (const zigzag::WorkloadLayer& one : layers) names.push_back(one.layer.name);
    const std::vector<bool> wanted = inputs.wanted(names, report.network);
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (wanted[i]) add_jobs(report.accelerator, files.problems("map", layers[i].layer), options, report, jobs);
    return jobs;
}

std::vector<std::pair<std::string, std::string>> options_for_the_report(const orders::Search& search,
                                                                        const orders::Settings& settings,
                                                                        const OrderOptions& options) {
    std::vector<std::pair<std::string, std::string>> list{
        {"mapper", std::string(search.name)},
        {"objective", std::string(objective_name(settings.objective.kind))},
        {"allocation", options.zigzag.even ? "even" : "uneven"},
        {"latency", options.zigzag.latency}};
    for (auto& given : options.for_the_report(std::string(search.name))) list.push_back(std::move(given));
    return list;
}

// Of the unrollings of a layer, the one whose best order is best. Those of one layer follow each other.
void fill_in_best(const std::vector<Job>& jobs, const std::vector<orders::Answer>& answers, const Objective& objective,
                  const ZigzagOptions& options, bool by_user, report::ZigzagReport& report) {
    const auto score = [&](const orders::Answer& one) {
        return one.failure.empty() ? objective.score(one.cost.energy_pj, one.cost.latency_cycles) : Score{};
    };
    for (std::size_t first = 0, end = 0; first < jobs.size(); first = end) {
        std::size_t best = first;
        orders::Answer effort;
        effort.complete = true;
        for (end = first; end < jobs.size() && jobs[end].layer == jobs[first].layer; ++end) {
            if (score(answers[end]) < score(answers[best])) best = end;
            effort.evaluations += answers[end].evaluations;
            effort.fitting += answers[end].fitting;
            effort.complete = effort.complete && answers[end].complete;
            effort.interrupted = effort.interrupted || answers[end].interrupted;
        }
        orders::Answer answer = answers[best];
        answer.complete = effort.complete;
        report::ZigzagLayer& layer = report.layers[jobs[first].layer];
        report::SearchStatistics& search = layer.search.emplace();
        search.evaluations = effort.evaluations;
        search.valid = effort.fitting;
        search.stopped_by = why_it_stopped(
            effort.interrupted ? effort : least_complete(std::span(answers).subspan(first, end - first), answer),
            by_user);
        if (!jobs[best].problem.given.empty()) search.stopped_by += ", of the orders that the mapping file allows";
        layer.unrolling = jobs[best].given.unrolling;
        layer.spatial = jobs[best].given.spatial;
        fill_in(report.accelerator, jobs[best].given, answer, options, layer);
    }
}

}  // namespace

report::ZigzagReport search_zigzag_files(Inputs& inputs, const SearchPlan& plan, bool quiet) {
    StopSource stop;
    const orders::Search& search = search_of(plan);
    const orders::Settings settings = settings_of(plan, stop);
    report::ZigzagReport report;
    report.accelerator = inputs.zigzag().accelerator("map");
    report.network = inputs.zigzag().network();
    report.notes = inputs.zigzag().notes();
    const std::vector<Job> jobs = jobs_of(inputs, plan.orders.zigzag, report);
    std::vector<orders::Problem> problems;
    for (const Job& job : jobs) problems.push_back(job.problem);
    const Interrupt interrupt(stop);
    StatusLine line(!quiet);
    std::size_t finished = 0;
    const auto done = [&](std::size_t i, const orders::Answer& answer) {
        line.show(fmt::format("[{}/{}] {}  {} orders costed", ++finished, problems.size(), problems[i].layer.name,
                              report::count_text(answer.evaluations)));
    };
    const std::vector<orders::Answer> answers = orders::search_layers(problems, search, settings, done);
    report.interrupted = interrupt.happened();
    fill_in_best(jobs, answers, settings.objective, plan.orders.zigzag, report.interrupted, report);
    report.provenance = provenance("map", inputs.read());
    report.provenance.accounting = "zigzag";
    report.provenance.seed = settings.seed;
    report.provenance.options = options_for_the_report(search, settings, plan.orders);
    return report;
}

}  // namespace tilewright::cli
