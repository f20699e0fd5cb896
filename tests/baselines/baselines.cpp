// Maps the layers of timeloop.csv on their machines and compares quality and time with every recorded run of
// timeloop-mapper.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

#include "arch/estimation/estimate.hpp"
#include "command_line/command_line.hpp"
#include "mapper/by_name/by_name.hpp"
#include "mapper/mapper.hpp"
#include "mapping/validity.hpp"
#include "model/exact/model.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "workload/shapes.hpp"

namespace {

using namespace tilewright;

struct Options {
    std::string machine;
    std::string layers;
    std::string mapper = "hybrid";
    std::int64_t victory = 0;
    std::int64_t evaluations = 0;
    std::uint64_t seed = 1;
    double share = 0.0;
    double optimal_limit_s = 0.0;
    double least_speedup = 0.0;
    bool quiet = false;
    bool every_layer = false;
};

/// One line of timeloop.csv: a run of timeloop-mapper.
struct Baseline {
    std::string machine, layer, mapspace, metric, algorithm;
    Convolution shape;
    std::optional<double> energy_pj;  ///< of its best mapping; nothing when it found none
    std::int64_t cycles = 0;
    double cpu_s = 0.0;  ///< of all its threads
};

struct Machine {
    yaml::Node file;
    Architecture architecture;
};

/// What a search of ours found.
struct Ours {
    SearchResult result;
    double cpu_s = 0.0;  ///< from the constraints to the best mapping, mapspace and evaluator included
};

Baseline read_baseline(const std::string& line) {
    std::istringstream cells(line);
    Baseline b;
    for (std::string* text : {&b.machine, &b.layer, &b.mapspace, &b.metric, &b.algorithm})
        std::getline(cells, *text, ',');
    std::string cell;
    const auto text = [&] {
        std::getline(cells, cell, ',');
        return cell;
    };
    const auto integer = [&] { return std::stoll(text()); };
    b.shape.width.kernel = integer();
    b.shape.height.kernel = integer();
    b.shape.width.positions = integer();
    b.shape.height.positions = integer();
    b.shape.in_channels = integer();
    b.shape.out_channels = integer();
    b.shape.batch = integer();
    b.shape.width.stride = integer();
    b.shape.height.stride = integer();
    b.shape.width.dilation = integer();
    b.shape.height.dilation = integer();
    if (!text().empty()) b.energy_pj = std::stod(cell);
    if (!text().empty()) b.cycles = std::stoll(cell);
    b.cpu_s = std::stod(text());
    return b;
}

std::vector<Baseline> read_baselines(const Options& options) {
    std::ifstream file(BASELINES "/timeloop.csv");
    std::vector<Baseline> baselines;
    std::string line;
    std::getline(file, line);  // the header
    while (std::getline(file, line)) {
        Baseline b = read_baseline(line);
        if (!options.every_layer && b.machine.find(options.machine) == std::string::npos) continue;
        if (b.layer.find(options.layers) != std::string::npos) baselines.push_back(std::move(b));
    }
    return baselines;
}

const Machine& machine_of(const std::string& name) {
    static std::map<std::string, Machine> machines;
    const auto found = machines.find(name);
    if (found != machines.end()) return found->second;
    Machine machine{timeloop::load({BASELINES "/" + name + ".yaml"}), {}};
    machine.architecture = timeloop::read_architecture(machine.file);
    estimate(machine.architecture, Estimator::timeloop_pat);
    return machines.emplace(name, std::move(machine)).first->second;
}

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The full model has the last word.
void verify(const Einsum& einsum, const Architecture& architecture, SearchResult& result) {
    const Mapping mapping = mapping_of(result.best->point);
    if (!check(einsum, architecture, mapping).empty()) throw std::logic_error("the best mapping is not legal");
    const Evaluation full = evaluate(einsum, architecture, mapping);
    result.cost.energy_pj = full.energy_pj;
    result.cost.cycles = full.cycles;
}

/// On one thread. `limit_s`: of time; 0: until the mapper is content.
Ours map_layer(const Baseline& baseline, const std::string& mapper_name, const Options& options, double limit_s) {
    const Machine& machine = machine_of(baseline.machine);
    const Einsum einsum = convolution(baseline.shape);
    const auto mapper = make_mapper(mapper_name);
    Budget budget;
    budget.victory = options.victory > 0 ? options.victory : mapper->default_victory();
    budget.seed = options.seed;
    if (options.evaluations > 0) budget.evaluations = options.evaluations;
    const double begin_s = cpu_seconds();
    const Mapspace mapspace(einsum, machine.architecture,
                            timeloop::read_constraints(machine.file, machine.architecture, einsum));
    const LeanEvaluator evaluator(einsum, machine.architecture);
    if (limit_s > 0.0) budget.time = std::chrono::duration<double>(limit_s - (cpu_seconds() - begin_s));
    Ours ours;
    ours.result = mapper->search(mapspace, evaluator, parse_objective(baseline.metric).value(), budget);
    ours.cpu_s = cpu_seconds() - begin_s;
    if (ours.result.best) verify(einsum, machine.architecture, ours.result);
    return ours;
}

double value_of(const std::string& metric, double energy_pj, std::int64_t cycles) {
    if (metric == "energy") return energy_pj;
    if (metric == "delay") return static_cast<double>(cycles);
    return energy_pj * static_cast<double>(cycles);
}

double theirs(const Baseline& baseline) {
    return baseline.energy_pj ? value_of(baseline.metric, *baseline.energy_pj, baseline.cycles) : HUGE_VAL;
}

double value(const Ours& ours, const std::string& metric) {
    return ours.result.best ? value_of(metric, ours.result.cost.energy_pj, ours.result.cost.cycles) : HUGE_VAL;
}

/// One mapper against all recorded runs.
class Tally {
   public:
    explicit Tally(std::string name) : name_(std::move(name)) {}

    /// Returns whether ours is worse.
    bool add(const Baseline& baseline, const Ours& ours) {
        const double our_value = value(ours, baseline.metric);
        const double their_value = theirs(baseline);
        const bool bad = !(our_value <= their_value * (1.0 + 1e-9)) || our_value == HUGE_VAL;
        ++runs_;
        worse_ += bad ? 1 : 0;
        better_ += our_value < their_value * (1.0 - 1e-9) ? 1 : 0;
        const double speedup = baseline.cpu_s / ours.cpu_s;
        hundredth_ += speedup >= 100.0 ? 1 : 0;
        least_speedup_ = std::min(least_speedup_, speedup);
        log_speedups_ += std::log(speedup);
        if (baseline.energy_pj && our_value < HUGE_VAL) {
            ++compared_;
            log_ratios_ += std::log(our_value / their_value);
        }
        return bad;
    }

    void print() const {
        fmt::print(
            "{}: {} recorded runs, better on {}, equal on {}, worse on {}; geometric mean of ours / Timeloop's {:.3f}\n"
            "{}: Timeloop's processor time / ours at least {:.0f}, geometric mean {:.0f}, 100 or more on {} of {}\n",
            name_, runs_, better_, runs_ - better_ - worse_, worse_, std::exp(log_ratios_ / std::max(1, compared_)),
            name_, least_speedup_, std::exp(log_speedups_ / std::max(1, runs_)), hundredth_, runs_);
    }

    int runs() const { return runs_; }
    int worse() const { return worse_; }
    double least_speedup() const { return least_speedup_; }

   private:
    std::string name_;
    int runs_ = 0;
    int compared_ = 0;
    int worse_ = 0;
    int better_ = 0;
    int hundredth_ = 0;
    double least_speedup_ = HUGE_VAL;
    double log_ratios_ = 0.0;
    double log_speedups_ = 0.0;
};

std::string cells(const Baseline& baseline, const Ours& ours) {
    const double ratio = value(ours, baseline.metric) / theirs(baseline);
    return fmt::format("{:>11.5g} {:>6.3f} {:>9.2f} {:>7.0f}", value(ours, baseline.metric), ratio, 1e3 * ours.cpu_s,
                       baseline.cpu_s / ours.cpu_s);
}

/// The searches that have been made: one answers all runs of a machine, a layer and a metric.
class Searches {
   public:
    Searches(const Options& options, std::string mapper) : options_(options), mapper_(std::move(mapper)) {}

    const Ours& of(const Baseline& baseline, double limit_s) {
        const std::string key = fmt::format("{} {} {} {}", baseline.machine, baseline.layer, baseline.metric, limit_s);
        const auto found = known_.find(key);
        if (found != known_.end()) return found->second;
        return known_.emplace(key, map_layer(baseline, mapper_, options_, limit_s)).first->second;
    }

   private:
    const Options& options_;
    std::string mapper_;
    std::map<std::string, Ours> known_;
};

void print_header(const Options& options) {
    fmt::print("{:<11}{:<13}{:<6}{:<7}{:<20}{:>11} {:>8}", "machine", "layer", "space", "metric", "algorithm",
               "Timeloop's", "s");
    fmt::print(" |{:>11} {:>6} {:>9} {:>7}", options.mapper, "ratio", "ms", "faster");
    if (options.optimal_limit_s > 0.0) fmt::print(" |{:>11} {:>6} {:>9} {:>7}", "optimal", "ratio", "ms", "faster");
    fmt::print("\n");
}

bool compare_all(const std::vector<Baseline>& baselines, const Options& options) {
    Tally tally(options.mapper);
    Tally optimal("optimal");
    Searches searches(options, options.mapper);
    Searches proofs(options, "optimal");
    if (!options.quiet) print_header(options);
    for (const Baseline& baseline : baselines) {
        const Ours& ours = searches.of(baseline, options.share * baseline.cpu_s);
        const bool worse = tally.add(baseline, ours);
        const Ours* best = options.optimal_limit_s > 0.0 ? &proofs.of(baseline, options.optimal_limit_s) : nullptr;
        if (best != nullptr) optimal.add(baseline, *best);
        if (options.quiet && !worse) continue;
        fmt::print("{:<11}{:<13}{:<6}{:<7}{:<20}{:>11.5g} {:>8.2f} |{}", baseline.machine, baseline.layer,
                   baseline.mapspace, baseline.metric, baseline.algorithm, theirs(baseline), baseline.cpu_s,
                   cells(baseline, ours));
        if (best != nullptr)
            fmt::print(" |{}{}", cells(baseline, *best),
                       best->result.stopped == StopReason::proven ? "" : " not proven");
        fmt::print("{}\n", worse ? "  WORSE" : "");
    }
    tally.print();
    if (options.optimal_limit_s > 0.0) optimal.print();
    return tally.runs() > 0 && tally.worse() == 0 && tally.least_speedup() >= options.least_speedup;
}

// All layers of the table (say, of ResNet-50) on one machine, whether or not Timeloop's result is known.
void map_every_layer(const std::vector<Baseline>& baselines, const Options& options) {
    std::map<std::string, Baseline> layers;
    for (const Baseline& baseline : baselines) layers.emplace(baseline.layer, baseline);
    double seconds = 0.0;
    for (auto& [name, layer] : layers) {
        layer.machine = options.machine;
        layer.metric = "edp";
        const Ours ours = map_layer(layer, options.mapper, options, 0.0);
        const SearchResult& result = ours.result;
        seconds += ours.cpu_s;
        fmt::print("{:<13}{:>11.6g} pJ {:>10} cycles {:>12.5g} pJ*cycles {:>9} mappings {:6.2f} s\n", name,
                   result.cost.energy_pj, result.cost.cycles, result.cost.edp_pj_cycles(), result.statistics.valid,
                   ours.cpu_s);
    }
    fmt::print("{} layers on {}, {:.1f} s\n", layers.size(), options.machine, seconds);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CommandLine line("Compares a mapper, on one thread, with the recorded runs of timeloop-mapper");
    line.option("--machine", &options.machine, "only machines whose name contains this");
    line.option("--layers", &options.layers, "only layers whose name contains this");
    line.option("--mapper", &options.mapper);
    line.option("--victory", &options.victory, "valid mappings without improvement that end a search");
    line.option("--evaluations", &options.evaluations, "end every search after so many");
    line.option("--share", &options.share, "give every search this share of the recorded processor time, say 0.01");
    line.option("--optimal", &options.optimal_limit_s, "a column for the optimal mapper, so many seconds for each");
    line.option("--least-speedup", &options.least_speedup, "fail when any search is less often faster");
    line.option("--seed", &options.seed);
    line.option("--quiet", &options.quiet, "print only what is worse, and the totals");
    line.option("--every-layer", &options.every_layer, "map all layers of the table on --machine, for EDP");
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    const std::vector<Baseline> baselines = read_baselines(options);
    if (options.every_layer) {
        map_every_layer(baselines, options);
        return 0;
    }
    return compare_all(baselines, options) ? 0 : 1;
}
