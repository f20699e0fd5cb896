#include "run/search_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/mapper.hpp"
#include "mapper/timeloop/timeloop.hpp"
#include "timeloop/files/search_options.hpp"

namespace tilewright {
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

[[noreturn]] void refuse_search(const std::string& message) { throw InputError(ErrorCode::usage, {}, message); }

// Reads the options over the files' section, step by step.
class Settling {
   public:
    Settling(const SearchWishes& wishes, const timeloop::SearchOptions& file) : wishes_(wishes), file_(file) {}

    SearchSettings run() {
        settle_factors();
        settle_mapper();
        map_.uneven = wishes_.uneven;
        settle_objective();
        settle_effort();
        settle_timeloops();
        return std::move(out_);
    }

   private:
    void settle_factors() {
        out_.factors = wishes_.factors.empty() ? file_.factors.value_or("") : wishes_.factors;
        if (!wishes_.factors.empty() && file_.factors && *file_.factors != out_.factors)
            out_.notes.push_back(
                fmt::format("mapspace: {} {} is used, not its template", option("factors"), out_.factors));
        map_.factors = factor_rule_named(out_.factors).value_or(FactorRule::perfect);
    }

    void settle_mapper() {
        if (wishes_.mapper)
            map_.mapper = *wishes_.mapper;
        else if (file_.algorithm)
            map_.mapper = mapper_for(*file_.algorithm, out_.notes);
        // What a file asks for is no reason to have no answer.
        map_.optimal_after_failure = !wishes_.mapper && file_.algorithm;
        if (intended_mapper(map_) == MapperKind::optimal && sometimes_provable(map_.factors) &&
            (wishes_.victory || wishes_.evaluations))
            out_.notes.push_back(fmt::format("optimal ends with its proof: {} and {} are {}", option("victory"),
                                             option("evaluations"),
                                             map_.mapper == MapperKind::automatic && !always_provable(map_.factors)
                                                 ? "for layers with too many choices, which hybrid searches"
                                                 : "not used"));
    }

    void settle_objective() {
        out_.objective = wishes_.objective;
        if (out_.objective.empty() && !file_.metrics.empty()) out_.objective = objective_for(file_.metrics, out_.notes);
        if (out_.objective.empty()) out_.objective = kDefaultObjective;
        map_.objective = objective_named(out_.objective);
    }

    Objective objective_named(const std::string& text) const {
        const std::optional<Objective> objective = parse_objective(text);
        if (!objective)
            refuse_search(fmt::format(
                "{} takes energy, latency, edp, ed2p, pareto or a product such as energy^2*latency, and "
                "after a comma what breaks ties, found '{}'{}",
                option("objective"), text, did_you_mean(text, {"energy", "latency", "edp", "ed2p", "pareto"})));
        return *objective;
    }

    std::string option(const char* name) const { return wishes_.dashes + name; }

    bool is_timeloops_own() const { return is_timeloops(map_.mapper); }

    // Timeloop's searches are limited as their file says it, and its threads are streams.
    void settle_timeloops() {
        map_.streams = wishes_.streams;
        map_.timeout = wishes_.timeout;
        if (is_timeloops_own()) {
            if (!map_.streams) map_.streams = file_.threads;
            if (!map_.timeout) map_.timeout = file_.timeout;
            set_metrics();
        }
        if (const std::string wrong = problem_with(map_); !wrong.empty()) refuse_search(wrong);
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
        const std::int64_t threads = wishes_.threads ? *wishes_.threads : of_file;
        if (file_.timeout && !is_timeloops_own())
            out_.notes.push_back(
                fmt::format("mapper: timeout {} is not used; the search gives up after {} illegal mappings in a row",
                            *file_.timeout, Budget{}.fruitless));
        if (!file_.display.empty())
            out_.notes.push_back("mapper: only Timeloop itself uses " + list_words(file_.display));
        if (threads > kMostThreads)
            refuse_search(fmt::format("{} takes a whole number from 0 to {}, found '{}'", option("threads"),
                                      kMostThreads, threads));
        map_.threads = static_cast<int>(threads);
        map_.seed = wishes_.seed.value_or(1);
        map_.largest_space = wishes_.largest_space.value_or(map_.largest_space);
        map_.time_limit_seconds = wishes_.time_limit_seconds;
        map_.layer_time_limit_seconds = wishes_.layer_time_limit_seconds;
        const MapperKind mapper = intended_mapper(map_);
        if (victory() == 0 && !ends_by_itself(mapper) && !is_timeloops_own() && !map_.evaluations &&
            !seconds_of_layer(map_))
            out_.notes.push_back(fmt::format("nothing ends this search but Ctrl-C: {} 0 without {} or {}",
                                             option("victory"), option("evaluations"),
                                             wishes_.dashes.empty() ? "time_limit" : option("time-limit")));
    }

    // Limits of a file that are meant for sampling do not cut off a search that ends by itself, unless it is the
    // file's.
    void settle_limits() {
        map_.victory = wishes_.victory;
        map_.evaluations = wishes_.evaluations;
        const bool of_file = !wishes_.mapper && file_.algorithm;
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

    const SearchWishes& wishes_;
    const timeloop::SearchOptions& file_;
    SearchSettings out_;
    MapOptions& map_ = out_.map;
};

}  // namespace

SearchSettings settled(const SearchWishes& wishes, const timeloop::SearchOptions& file) {
    return Settling(wishes, file).run();
}

}  // namespace tilewright
