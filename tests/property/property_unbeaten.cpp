// Keeps looking for a mapping that beats the optimal mapper's, on real layers and machines, with the other mappers:
//
//     property_unbeaten --rounds 300 --evaluations 20000 --limit 0 [--least-proven 270]
//     property_unbeaten --seconds 60 [--seed N] [--first 12] [--arch eyeriss --net resnet50 --objective edp ...]
//     property_unbeaten --all --arch eyeriss --arch simba --objective energy ... [--factors ruby-s]
//     property_unbeaten --free ... [--arch machine.yaml]
//
// A machine is one of the zoo or a YAML file; --free takes all its constraints away, also that what only spreads has no
// temporal loops.
//
// Every round draws a machine, a layer, an objective and another mapper with a seed of its own, and gives that mapper
// so many evaluations, or ten times the time that `optimal` took: what is found then depends on the machine. Round n of
// a seed is always the same: --seed and --first repeat it. What `optimal` could only bound within --limit seconds is
// measured against the bound. --all plays every machine, layer, objective and mapper once instead of drawing them. The
// exit status is 1, with both mappings in full, when a counter-example is found.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/estimation/estimate.hpp"
#include "base/numbers/random.hpp"
#include "command_line/command_line.hpp"
#include "harness.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/mapper.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "workload/zoo/zoo.hpp"

namespace {

using namespace tilewright;
using Clock = std::chrono::steady_clock;

struct Options {
    double seconds = 60.0;
    std::optional<std::uint64_t> rounds;       ///< instead of seconds
    std::optional<std::uint64_t> evaluations;  ///< of the other mapper, instead of time
    std::uint64_t least_proven = 0;
    std::optional<std::uint64_t> seed;
    std::uint64_t first = 0;
    bool all = false;
    bool free = false;
    FactorRule factors = FactorRule::perfect;
    double limit_seconds = 4.0;  ///< 0: none
    double effort = 10.0;        ///< times optimal's time
    std::vector<std::string> machines{"eyeriss", "simba",      "eyeriss",         "simba",
                                      "simba15", "nvdla-like", "shidiannao-like", "simple-weight-stationary"};
    std::vector<std::string> networks{"resnet50", "mobilenetv2", "bert-base", "deepbench"};
    std::vector<std::string> objectives{"energy", "latency", "edp", "ed2p"};
    std::vector<std::string> mappers{"hybrid", "anneal", "genetic", "linear-pruned", "random"};
};

struct Machine {
    yaml::Node root;
    Architecture architecture;
};

/// Machines and networks, each read once.
class Shelf {
   public:
    const Machine& machine(const std::string& name) {
        const auto [at, is_new] = machines_.try_emplace(name);
        if (!is_new) return at->second;
        at->second.root = name.ends_with(".yaml") ? timeloop::load({name}) : timeloop::zoo_architecture(name);
        at->second.architecture = timeloop::read_architecture(at->second.root);
        estimate(at->second.architecture, Estimator::tables);
        return at->second;
    }

    const std::vector<DistinctLayer>& layers(const std::string& name) {
        const auto [at, is_new] = layers_.try_emplace(name);
        if (is_new) at->second = distinct_layers(zoo_network(name));
        return at->second;
    }

   private:
    std::map<std::string, Machine> machines_;
    std::map<std::string, std::vector<DistinctLayer>> layers_;
};

struct Round {
    std::string machine;
    std::string network;
    std::string objective;
    std::string mapper;
    std::size_t layer = 0;
    std::uint64_t seed = 1;
};

Round draw(const Options& options, std::uint64_t number, Shelf& shelf) {
    Random random(Random::split(*options.seed, number));
    const auto one_of = [&](const std::vector<std::string>& names) { return names[random.below(names.size())]; };
    Round round{
        one_of(options.machines), one_of(options.networks), one_of(options.objectives), one_of(options.mappers), 0, 1};
    round.layer = random.below(shelf.layers(round.network).size());
    round.seed = random.next();
    return round;
}

// Numbered as the digits of a clock: mappers go round fastest.
std::optional<Round> listed(const Options& options, std::uint64_t number, Shelf& shelf) {
    const auto next = [&number](std::size_t count) {
        const auto at = static_cast<std::size_t>(number % count);
        number /= count;
        return at;
    };
    Round round;
    round.mapper = options.mappers[next(options.mappers.size())];
    round.objective = options.objectives[next(options.objectives.size())];
    round.machine = options.machines[next(options.machines.size())];
    for (const std::string& network : options.networks) {
        round.network = network;
        round.layer = static_cast<std::size_t>(number);
        const std::size_t count = shelf.layers(network).size();
        if (number < count) return round;
        number -= count;
    }
    return std::nullopt;
}

struct Answer {
    SearchResult result;
    double seconds = 0.0;
};

Answer search(const std::string& mapper, const Mapspace& mapspace, const LeanEvaluator& evaluator,
              const Objective& objective, Budget budget, std::uint64_t seed) {
    budget.seed = seed;
    const Clock::time_point begin = Clock::now();
    SearchResult result = make_mapper(mapper)->search(mapspace, evaluator, objective, budget);
    return {std::move(result), std::chrono::duration<double>(Clock::now() - begin).count()};
}

bool is_beaten(const SearchResult& optimal, const SearchResult& other) {
    if (!other.best) return false;
    if (optimal.stopped == StopReason::exhausted) return true;  // it says that there is no mapping
    if (!optimal.lower_bound) return false;
    constexpr double kRounding = 1.0 - 1e-9;
    if (other.score.value < *optimal.lower_bound * kRounding) return true;
    return optimal.stopped == StopReason::proven && other.score.value <= optimal.score.value &&
           other.score.tie < optimal.score.tie * kRounding;
}

void print(const char* who, const SearchResult& result, const LeanEvaluator& evaluator) {
    std::printf("%s: objective %.17g (then %.17g)\n", who, result.score.value, result.score.tie);
    if (result.best)
        std::printf("%s\n", timeloop::write_mapping(mapping_of(result.best->point, evaluator.einsum()).value(),
                                                    evaluator.einsum(), evaluator.architecture())
                                .c_str());
}

Budget for_seconds(double seconds) {
    Budget budget;
    if (seconds > 0.0) budget.time = std::chrono::duration<double>(seconds);
    return budget;
}

Budget for_the_other(const Options& options, double optimal_seconds) {
    if (!options.evaluations)
        return for_seconds(std::max(0.02, options.effort * std::min(optimal_seconds, options.limit_seconds / 4.0)));
    Budget budget;
    budget.evaluations = static_cast<std::int64_t>(*options.evaluations);
    return budget;
}

/// False, with the counter-example printed, when `optimal` is beaten.
bool play(const Options& options, std::uint64_t number, const Round& round, Shelf& shelf, std::uint64_t& proven) {
    const Machine& machine = shelf.machine(round.machine);
    const Einsum& einsum = shelf.layers(round.network)[round.layer].einsum;
    const Constraints constraints =
        options.free ? Constraints{} : timeloop::read_constraints(machine.root, machine.architecture, einsum);
    const Mapspace mapspace(einsum, machine.architecture, constraints, options.factors);
    const LeanEvaluator evaluator(einsum, machine.architecture);
    const Objective objective = parse_objective(round.objective).value();
    const Answer optimal = search("optimal", mapspace, evaluator, objective, for_seconds(options.limit_seconds), 1);
    const Answer other =
        search(round.mapper, mapspace, evaluator, objective, for_the_other(options, optimal.seconds), round.seed);
    proven += is_proven(optimal.result) ? 1 : 0;
    const bool beaten = is_beaten(optimal.result, other.result);
    std::printf("%-4llu %-12s %-11s layer %-3zu %-7s optimal %.6g in %.2f s%s, %s %.6g in %.2f s\n",
                static_cast<unsigned long long>(number), round.machine.c_str(), round.network.c_str(), round.layer,
                round.objective.c_str(), optimal.result.score.value, optimal.seconds,
                optimal.result.stopped == StopReason::proven ? "" : " (not proven)", round.mapper.c_str(),
                other.result.score.value, other.seconds);
    if (!beaten) return true;
    std::printf("beaten: %s, %s with seed %llu; repeat with --seed %llu --first %llu%s\n",
                evaluator.einsum().name.c_str(), round.mapper.c_str(), static_cast<unsigned long long>(round.seed),
                static_cast<unsigned long long>(*options.seed), static_cast<unsigned long long>(number),
                options.all ? " --all" : "");
    print("optimal", optimal.result, evaluator);
    print(round.mapper.c_str(), other.result, evaluator);
    return false;
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    CommandLine line("Looks for mappings that beat the optimal mapper's");
    line.option("--seconds", &options.seconds, "how long");
    line.option("--rounds", &options.rounds, "how many, however long they take");
    line.option("--evaluations", &options.evaluations, "of the other mapper, however long they take");
    line.option("--least-proven", &options.least_proven, "rounds; fewer are a failure");
    line.option("--seed", &options.seed, "of the rounds; another one each time when not given");
    line.option("--first", &options.first, "number of the first round");
    line.option("--all", &options.all, "every combination once");
    line.option("--free", &options.free, "machines without their constraints");
    std::string factors = "perfect";
    line.option("--factors", &factors, "", {.choices = {"perfect", "ruby-s"}});
    line.option("--limit", &options.limit_seconds, "seconds for optimal in one round; 0: none");
    line.option("--effort", &options.effort, "times optimal's time for the other mapper");
    line.option("--arch", &options.machines);
    line.option("--net", &options.networks);
    line.option("--objective", &options.objectives);
    line.option("--mapper", &options.mappers);
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    options.factors = factor_rule_named(factors).value();
    if (!options.seed)
        options.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    std::printf("seed %llu\n", static_cast<unsigned long long>(*options.seed));
    const Clock::time_point begin = Clock::now();
    Shelf shelf;
    std::uint64_t proven = 0;
    std::uint64_t number = options.first;
    const auto in_time = [&] {
        if (options.rounds) return number - options.first < *options.rounds;
        return options.all || std::chrono::duration<double>(Clock::now() - begin).count() < options.seconds;
    };
    do {
        const std::optional<Round> round = options.all ? listed(options, number, shelf) : draw(options, number, shelf);
        if (!round) break;
        if (!play(options, number++, *round, shelf, proven)) return 1;
        std::fflush(stdout);
    } while (in_time());
    std::printf("%llu rounds, none beats the optimal mapper\n",
                static_cast<unsigned long long>(number - options.first));
    return property::enough("rounds were proven", proven, options.least_proven) ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "property_unbeaten: %s\n", error.what());
    return 2;
}
