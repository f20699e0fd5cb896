// Maps the layers of timeloop.csv on their machines and compares with what Timeloop's mapper found.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "arch/estimate.hpp"
#include "frontend/timeloop/architecture.hpp"
#include "frontend/timeloop/load.hpp"
#include "mapper/mapper.hpp"
#include "mapping/validity.hpp"
#include "model/model.hpp"
#include "workload/shapes.hpp"

namespace {

using namespace tilewright;

struct Options {
    std::string machine;
    std::string layers;
    std::string mapper = "hybrid";
    std::int64_t victory = 0;
    std::uint64_t seed = 1;
    int threads = 0;
    bool quiet = false;
    bool every_layer = false;
};

/// One line of timeloop.csv.
struct Baseline {
    std::string machine, layer, mapspace, metric, algorithm;
    Convolution shape;
    double energy_pj = 0.0;
    std::int64_t cycles = 0;
};

struct Machine {
    yaml::Node file;
    Architecture architecture;
};

Baseline read_baseline(const std::string& line) {
    std::istringstream cells(line);
    Baseline b;
    for (std::string* text : {&b.machine, &b.layer, &b.mapspace, &b.metric, &b.algorithm})
        std::getline(cells, *text, ',');
    std::string cell;
    const auto number = [&] {
        std::getline(cells, cell, ',');
        return cell;
    };
    const auto integer = [&] { return std::stoll(number()); };
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
    b.energy_pj = std::stod(number());
    b.cycles = integer();
    return b;
}

std::vector<Baseline> read_baselines() {
    std::ifstream file(BASELINES "/timeloop.csv");
    std::vector<Baseline> baselines;
    std::string line;
    std::getline(file, line);  // the header
    while (std::getline(file, line)) baselines.push_back(read_baseline(line));
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

SearchResult map_layer(const Baseline& baseline, const Options& options) {
    const Machine& machine = machine_of(baseline.machine);
    const Einsum einsum = convolution(baseline.shape);
    const Mapspace mapspace(einsum, machine.architecture,
                            timeloop::read_constraints(machine.file, machine.architecture, einsum));
    const LeanEvaluator evaluator(einsum, machine.architecture);
    const auto mapper = make_mapper(options.mapper);
    Budget budget;
    budget.victory = options.victory > 0 ? options.victory : mapper->default_victory();
    budget.seed = options.seed;
    budget.threads = options.threads;
    SearchResult result = mapper->search(mapspace, evaluator, parse_objective(baseline.metric).value(), budget);
    if (!result.best) return result;
    // The full model has the last word.
    const Mapping mapping = mapping_of(*result.best);
    if (!check(einsum, machine.architecture, mapping).empty()) throw std::logic_error("the best mapping is not legal");
    const Evaluation full = evaluate(einsum, machine.architecture, mapping);
    result.cost.energy_pj = full.energy_pj;
    result.cost.cycles = full.cycles;
    return result;
}

double value_of(const std::string& metric, double energy_pj, std::int64_t cycles) {
    if (metric == "energy") return energy_pj;
    if (metric == "delay") return static_cast<double>(cycles);
    return energy_pj * static_cast<double>(cycles);
}

struct Tally {
    int runs = 0;
    int worse = 0;
    double log_ratios = 0.0;
    double seconds = 0.0;
};

void compare(const Baseline& baseline, const SearchResult& result, const Options& options, Tally& tally) {
    const double theirs = value_of(baseline.metric, baseline.energy_pj, baseline.cycles);
    const double ours = result.best ? value_of(baseline.metric, result.cost.energy_pj, result.cost.cycles) : HUGE_VAL;
    const bool worse = ours > theirs * (1.0 + 1e-9);
    ++tally.runs;
    tally.worse += worse ? 1 : 0;
    tally.log_ratios += std::log(ours / theirs);
    if (options.quiet && !worse) return;
    fmt::print(
        "{:<11}{:<13}{:<5} {:<7}{:>12.5g} {:>12.5g}  {:.3f} {:>11.6g} pJ {:>10} cycles {:>9} mappings {:6.2f} s{}\n",
        baseline.machine, baseline.layer, baseline.mapspace, baseline.metric, ours, theirs, ours / theirs,
        result.cost.energy_pj, result.cost.cycles, result.statistics.valid, result.statistics.seconds,
        worse ? "  WORSE" : "");
}

Tally compare_all(const std::vector<Baseline>& baselines, const Options& options) {
    Tally tally;
    std::map<std::string, SearchResult> known;
    if (!options.quiet) fmt::print("machine    layer        space metric         ours     Timeloop  ratio\n");
    for (const Baseline& baseline : baselines) {
        if (baseline.machine.find(options.machine) == std::string::npos) continue;
        if (baseline.layer.find(options.layers) == std::string::npos) continue;
        const std::string key = baseline.machine + baseline.layer + baseline.metric;
        if (!known.contains(key)) {
            known[key] = map_layer(baseline, options);
            tally.seconds += known[key].statistics.seconds;
        }
        compare(baseline, known[key], options, tally);
    }
    return tally;
}

// All layers of the table (say, of ResNet-50) on one machine, whether or not Timeloop's result is known.
void map_every_layer(const std::vector<Baseline>& baselines, const Options& options) {
    std::map<std::string, Baseline> layers;
    for (const Baseline& baseline : baselines)
        if (baseline.layer.find(options.layers) != std::string::npos) layers.emplace(baseline.layer, baseline);
    double seconds = 0.0;
    for (auto& [name, layer] : layers) {
        layer.machine = options.machine;
        layer.metric = "edp";
        const SearchResult result = map_layer(layer, options);
        seconds += result.statistics.seconds;
        fmt::print("{:<13}{:>11.6g} pJ {:>10} cycles {:>12.5g} pJ*cycles {:>9} mappings {:6.2f} s\n", name,
                   result.cost.energy_pj, result.cost.cycles, result.cost.edp_pj_cycles(), result.statistics.valid,
                   result.statistics.seconds);
    }
    fmt::print("{} layers on {}, {:.1f} s\n", layers.size(), options.machine, seconds);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Compares the mapper with Timeloop's recorded results");
    app.add_option("--machine", options.machine, "only machines whose name contains this");
    app.add_option("--layers", options.layers, "only layers whose name contains this");
    app.add_option("--mapper", options.mapper);
    app.add_option("--victory", options.victory, "valid mappings without improvement that end a search");
    app.add_option("--seed", options.seed);
    app.add_option("--threads", options.threads);
    app.add_flag("--quiet", options.quiet, "print only what is worse, and the totals");
    app.add_flag("--every-layer", options.every_layer, "map all layers of the table on --machine, for EDP");
    CLI11_PARSE(app, argc, argv);
    const std::vector<Baseline> baselines = read_baselines();
    if (options.every_layer) {
        map_every_layer(baselines, options);
        return 0;
    }
    const Tally tally = compare_all(baselines, options);
    fmt::print("{} baselines, {} worse, geometric mean of ours / Timeloop's {:.3f}, {:.1f} s\n", tally.runs,
               tally.worse, std::exp(tally.log_ratios / std::max(1, tally.runs)), tally.seconds);
    return tally.runs > 0 && tally.worse == 0 ? 0 : 1;
}
