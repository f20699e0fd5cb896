#include "search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "dataflow_search.hpp"
#include "frontend/timeloop/mapspace/search_options.hpp"
#include "mapper/cosa/cosa.hpp"
#include "mapper/loop_orders.hpp"
#include "mapper/mapper.hpp"
#include "mapper/timeloop/timeloop.hpp"
#include "orders/searches.hpp"
#include "run/report_of.hpp"

namespace tilewright::cli {
namespace {

constexpr const char* kDefaultObjective = "edp";

// Timeloop's algorithms by ours.
MapperKind mapper_for(const std::string& algorithm, std::vector<std::string>& notes) {
    if (algorithm == "hybrid") return MapperKind::hybrid;
    if (algorithm.starts_with("random")) return MapperKind::random;
    if (algorithm == "linear_pruned") return MapperKind::linear_pruned;
    if (algorithm == "exhaustive") return MapperKind::exhaustive;
    notes.push_back(fmt::format("mapper: algorithm '{}' is not available, '{}' searches instead", algorithm,
                                name_of(MapperKind::hybrid)));
    return MapperKind::hybrid;
}

std::string objective_for(const std::string& metric) {
    if (metric == "delay") return "latency";
    return metric;
}

// The first metric that there is; between equals the next one decides, and after two of the three nothing is left to
// decide. What has no effect is named.
std::string objective_for(const std::vector<std::string>& metrics, std::vector<std::string>& notes) {
    std::vector<std::string> known;
    for (const std::string& metric : metrics) {
        if (metric == "last_level_accesses")
            notes.emplace_back(
                "mapper: the metric 'last_level_accesses' is not available; the next one counts instead");
        else if (std::find(known.begin(), known.end(), metric) == known.end())
            known.push_back(metric);
    }
    if (known.empty()) return kDefaultObjective;
    if (known.size() > 2)
        notes.push_back("mapper: the metric '" + known[2] + "' has no effect: the two before it decide");
    const std::string first = objective_for(known.front());
    return known.size() == 1 ? first : first + "," + objective_for(known[1]);
}

Objective objective_named(const std::string& text) {
    const std::optional<Objective> objective = parse_objective(text);
    if (!objective)
        fail_usage("map", fmt::format("--objective takes energy, latency, edp, ed2p, pareto or a product such as "
                                      "energy^2*latency, and after a comma what breaks ties, found '{}'{}",
                                      text, did_you_mean(text, {"energy", "latency", "edp", "ed2p", "pareto"})));
    return *objective;
}

// Reads the options over the files' section, step by step.
class Settling {
   public:
    Settling(const SearchPlan& plan, const timeloop::SearchOptions& file) : plan_(plan), file_(file) {}

    SearchSettings run() {
        settle_factors();
        settle_mapper();
        check_uneven();
        check_cosa();
        plan_.orders.check(std::string(name_of(intended_mapper(map_))));
        settle_own_options();
        settle_objective();
        settle_effort();
        settle_timeloops();
        out_.for_the_report = for_the_report();
        return std::move(out_);
    }

   private:
    void settle_factors() {
        factors_ = plan_.factors.empty() ? file_.factors.value_or("") : plan_.factors;
        if (!plan_.factors.empty() && file_.factors && *file_.factors != factors_)
            out_.notes.push_back(fmt::format("mapspace: --factors {} is used, not its template", factors_));
        map_.factors = factor_rule_named(factors_).value_or(FactorRule::perfect);
    }

    void settle_mapper() {
        if (!plan_.mapper.empty())
            map_.mapper = mapper_kind_named(plan_.mapper).value();
        else if (file_.algorithm)
            map_.mapper = mapper_for(*file_.algorithm, out_.notes);
        // What a file asks for is no reason to have no answer.
        map_.optimal_after_failure = plan_.mapper.empty() && file_.algorithm;
        if (intended_mapper(map_) == MapperKind::optimal && sometimes_provable(map_.factors) &&
            (plan_.victory || plan_.evaluations))
            out_.notes.emplace_back(
                map_.mapper == MapperKind::automatic && !always_provable(map_.factors)
                    ? "optimal ends with its proof: --victory and --evaluations are for layers with too many "
                      "choices, which hybrid searches"
                    : "optimal ends with its proof: --victory and --evaluations are not used");
    }

    void check_uneven() {
        map_.uneven = plan_.uneven;
        if (map_.uneven && (intended_mapper(map_) != MapperKind::optimal || !always_provable(map_.factors)))
            fail_usage("map", "--uneven is for --mapper optimal and perfect or padded factors");
    }

    void check_cosa() {
        if (map_.mapper != MapperKind::cosa) {
            if (plan_.cosa.given()) fail_usage("map", "the options --cosa-... are for --mapper cosa");
            return;
        }
        plan_.cosa.options();
        if (map_.factors != FactorRule::perfect)
            fail_usage("map",
                       "--mapper cosa knows perfect factors only; with --factors " + factors_ + " use another one");
    }

    void settle_own_options() {
        if (map_.mapper == MapperKind::cosa)
            map_.made_by = [cosa = plan_.cosa](const Einsum& einsum) {
                return std::make_unique<CosaMapper>(cosa.options(einsum));
            };
        if (map_.mapper != MapperKind::loma && map_.mapper != MapperKind::salsa) return;
        const bool loma = map_.mapper == MapperKind::loma;
        const auto strategy = loma ? LoopOrderMapper::Strategy::loma : LoopOrderMapper::Strategy::salsa;
        map_.made_by = [strategy, options = plan_.orders.loop_orders()](const Einsum&) {
            return std::make_unique<LoopOrderMapper>(strategy, options);
        };
    }

    void settle_objective() {
        out_.objective = plan_.objective;
        if (out_.objective.empty() && !file_.metrics.empty()) out_.objective = objective_for(file_.metrics, out_.notes);
        if (out_.objective.empty()) out_.objective = kDefaultObjective;
        map_.objective = objective_named(out_.objective);
    }

    bool is_timeloops_own() const { return is_timeloops(map_.mapper); }

    // Timeloop's searches are limited as their file says it, and its threads are streams.
    void settle_timeloops() {
        map_.streams = plan_.streams;
        map_.timeout = plan_.timeout;
        if (is_timeloops_own()) {
            if (!map_.streams) map_.streams = file_.threads;
            if (!map_.timeout) map_.timeout = file_.timeout;
            set_metrics();
        }
        if (const std::string wrong = problem_with(map_); !wrong.empty()) fail_usage("map", wrong);
    }

    // Of two metrics the second decides where the first is within 0.1 %, which an objective cannot say.
    void set_metrics() {
        const std::size_t comma = out_.objective.find(',');
        if (comma == std::string::npos) return;
        const auto first = timeloop_search::contest_of(objective_named(out_.objective.substr(0, comma)));
        const auto second = timeloop_search::contest_of(objective_named(out_.objective.substr(comma + 1)));
        TimeloopMapper::Options own;
        own.streams = static_cast<int>(map_.streams.value_or(own.streams));
        own.timeout = map_.timeout.value_or(own.timeout);
        own.metrics = {first.metrics.front(), second.metrics.front()};
        map_.made_by = [name = name_of(map_.mapper), own](const Einsum&) { return make_timeloop_mapper(name, own); };
    }

    void settle_effort() {
        settle_limits();
        const std::int64_t of_file = is_timeloops_own() ? 0 : file_.threads.value_or(0);
        const std::int64_t threads = plan_.threads ? *plan_.threads : of_file;
        if (file_.timeout && !is_timeloops_own())
            out_.notes.push_back(
                fmt::format("mapper: timeout {} is not used; the search gives up after {} illegal mappings in a row",
                            *file_.timeout, Budget{}.fruitless));
        if (!file_.display.empty())
            out_.notes.push_back("mapper: only Timeloop itself uses " + list_words(file_.display));
        map_.threads = threads_of("map", threads);
        map_.seed = static_cast<std::uint64_t>(plan_.seed.value_or(1));
        map_.largest_space = plan_.largest_space.value_or(map_.largest_space);
        map_.time_limit_seconds = plan_.time_limit_seconds;
        const MapperKind mapper = intended_mapper(map_);
        if (victory() == 0 && !ends_by_itself(mapper) && !is_timeloops_own() && !map_.evaluations &&
            !map_.time_limit_seconds)
            out_.notes.emplace_back(
                "nothing ends this search but Ctrl-C: --victory 0 without --evaluations or --time-limit");
    }

    // Limits of a file that are meant for sampling do not cut off a search that ends by itself, unless it is the
    // file's.
    void settle_limits() {
        map_.victory = plan_.victory;
        map_.evaluations = plan_.evaluations;
        const bool of_file = plan_.mapper.empty() && file_.algorithm;
        if (of_file || !ends_by_itself(intended_mapper(map_))) {
            if (!map_.victory) map_.victory = file_.victory_condition;
            if (!map_.evaluations) map_.evaluations = file_.search_size;
            return;
        }
        std::vector<std::string> unused;
        if (file_.victory_condition) unused.emplace_back("victory_condition");
        if (file_.search_size) unused.emplace_back("search_size");
        if (!unused.empty())
            out_.notes.push_back(fmt::format("mapper: {} {} for sampling and not used: {} ends by itself",
                                             list_words(unused), unused.size() == 1 ? "is" : "are",
                                             name_of(intended_mapper(map_))));
    }

    std::int64_t victory() const {
        return map_.victory.value_or(make_mapper(name_of(intended_mapper(map_)))->default_victory());
    }

    std::vector<std::pair<std::string, std::string>> for_the_report() const {
        const std::string mapper(name_of(intended_mapper(map_)));
        auto list = provenance_options(map_, out_.objective, factors_);
        for (auto& given : plan_.orders.for_the_report(mapper)) list.push_back(std::move(given));
        if (map_.mapper == MapperKind::cosa)
            for (auto& given : plan_.cosa.for_the_report()) list.push_back(std::move(given));
        return list;
    }

    const SearchPlan& plan_;
    const timeloop::SearchOptions& file_;
    std::string factors_;  ///< as they were written; "": nowhere
    SearchSettings out_;
    MapOptions& map_ = out_.map;
};

}  // namespace

int threads_of(const std::string& verb, std::optional<std::int64_t> threads) {
    const std::int64_t number = threads.value_or(0);
    if (number > kMostThreads)
        fail_usage(verb, fmt::format("--threads takes at most {}, found {}", kMostThreads, number));
    return static_cast<int>(number);
}

std::vector<std::string> SearchPlan::factor_rules() { return {"perfect", "ruby", "ruby-s", "ruby-t", "padded"}; }

void SearchPlan::declare(Options& options) {
    options.group("Search");
    std::vector<std::string> names = mapper_names();
    for (const orders::Search& search : orders::searches())  // of ZigZag's files
        if (std::find(names.begin(), names.end(), search.name) == names.end()) names.emplace_back(search.name);
    for (const std::string& name : dataflow_mapper_names()) names.push_back(name);
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
    options.value("streams", 0, "N",
                  "timeloop-...: as many of Timeloop's threads, each with its share of the factors (default 1)",
                  &streams);
    options.value("timeout", 0, "N",
                  "timeloop-...: a stream gives up after so many illegal mappings in a row (default 1000); 0: never",
                  &timeout);
    orders.declare(options);
    cosa.declare(options);
}

void SearchPlan::declare_effort(Options& options) {
    options.group("Search");
    options
        .value("objective", 0, "WHAT",
               "energy, latency, edp (default), a product such as energy^2*latency, or pareto: a front of energy and "
               "latency; after a comma what breaks ties, as in edp,latency",
               &objective)
        .completes = "objective";
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

SearchSettings SearchPlan::settle(const yaml::Node& root) const {
    if (is_dataflow_mapper(mapper))
        fail_usage("map", "--mapper " + mapper + " searches dataflows, which only tilewright map does");
    return Settling(*this, timeloop::read_search_options(root)).run();
}

void SearchPlan::check(const NetworkProblem& problem) const {
    for (const ShapeProblem& shape : problem.shapes) cosa.options(shape.layer.einsum);
}

}  // namespace tilewright::cli
