// How long the optimal mapper takes, layer by layer, on one core:
//
//     optimal_layers --arch eyeriss --arch simba --net resnet50 --net bert-base [--objective energy ...] [--limit 60]
//     [--layer features.2.depthwise ...] [--factors ruby-s]
//
// A machine is one of the zoo or a YAML file.
// One line per layer shape (seconds of processor time, what was proven), and per machine and objective the median and
// the longest. --json prints all shapes as one document for study.py, --shapes only their names.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "arch/estimation/estimate.hpp"
#include "command_line/command_line.hpp"
#include "mapper/optimal/optimal.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "workload/zoo/zoo.hpp"

namespace {

using namespace tilewright;

struct Options {
    std::vector<std::string> machines{"eyeriss", "simba"};
    std::vector<std::string> networks{"resnet50", "mobilenetv2", "bert-base", "deepbench"};
    std::vector<std::string> objectives{"energy", "latency", "edp"};
    std::vector<std::string> layers;
    double limit_seconds = 60.0;
    bool quiet = false;
    bool json = false;
    bool shapes = false;
    bool uneven = false;
    std::string factors = "perfect";
};

struct Row {
    std::string layer;
    double seconds = 0.0;
    SearchResult result;
};

Row map_layer(const Einsum& einsum, const Architecture& architecture, const Constraints& constraints,
              const Objective& objective, const Options& options) {
    const Mapspace mapspace(einsum, architecture, constraints, factor_rule_named(options.factors).value());
    const LeanEvaluator evaluator(einsum, architecture);
    Budget budget;
    budget.time = std::chrono::duration<double>(options.limit_seconds);
    budget.threads = 1;
    const std::clock_t begin = std::clock();
    Row row;
    row.result = OptimalMapper({.uneven = options.uneven}).search(mapspace, evaluator, objective, budget, {});
    row.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    return row;
}

void print(const Row& row) {
    std::printf("  %-28s %8.3f s  %.6g  %s\n", row.layer.c_str(), row.seconds, row.result.score.value,
                std::string(stop_reason_text(row.result.stopped)).c_str());
    std::fflush(stdout);
}

void summarize(const std::string& what, const std::vector<Row>& rows) {
    std::vector<double> seconds;
    std::size_t proven = 0;
    double all = 0.0;
    for (const Row& row : rows) {
        seconds.push_back(row.seconds);
        all += row.seconds;
        proven += row.result.stopped == StopReason::proven ? 1 : 0;
    }
    std::sort(seconds.begin(), seconds.end());
    std::printf("%-44s %3zu shapes, %3zu proven; seconds: median %.3f, longest %.3f, all %.2f\n", what.c_str(),
                rows.size(), proven, seconds[seconds.size() / 2], seconds.back(), all);
    std::fflush(stdout);
}

nlohmann::json json_of(const Row& row) {
    nlohmann::json json{
        {"layer", row.layer}, {"seconds", row.seconds}, {"proven", row.result.stopped == StopReason::proven}};
    if (row.result.best) json["value"] = row.result.score.value;
    if (row.result.lower_bound) json["lower_bound"] = *row.result.lower_bound;
    return json;
}

/// All shapes, and the most memory that this program ever had in use.
void print_json(const std::vector<Row>& rows) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    nlohmann::json layers = nlohmann::json::array();
    for (const Row& row : rows) layers.push_back(json_of(row));
    const nlohmann::json json{{"layers", layers}, {"memory_kib", usage.ru_maxrss}};
    std::printf("%s\n", json.dump().c_str());
}

void print_shapes(const std::vector<std::string>& networks) {
    nlohmann::json json;
    for (const std::string& network : networks) {
        const Network net = zoo_network(network);
        nlohmann::json& names = json[network] = nlohmann::json::array();
        for (const DistinctLayer& shape : distinct_layers(net)) names.push_back(net.layers[shape.layers.front()].name);
    }
    std::printf("%s\n", json.dump().c_str());
}

std::vector<Row> run(const Options& options, const std::string& machine, const std::string& network,
                     const std::string& objective) {
    const bool is_file = machine.ends_with(".yaml");
    const yaml::Node root = is_file ? timeloop::load({machine}) : timeloop::zoo_architecture(machine);
    Architecture architecture = timeloop::read_architecture(root);
    estimate(architecture, Estimator::tables);
    const Network net = zoo_network(network);
    std::vector<Row> rows;
    for (const DistinctLayer& shape : distinct_layers(net)) {
        const std::string& name = net.layers[shape.layers.front()].name;
        const bool wanted = std::find(options.layers.begin(), options.layers.end(), name) != options.layers.end();
        if (!options.layers.empty() && !wanted) continue;
        rows.push_back(map_layer(shape.einsum, architecture,
                                 timeloop::read_constraints(root, architecture, shape.einsum),
                                 parse_objective(objective).value(), options));
        rows.back().layer = name;
        if (!options.quiet && !options.json) print(rows.back());
    }
    if (!rows.empty() && !options.json) summarize(machine + " " + network + " " + objective, rows);
    return rows;
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    CommandLine line("Times the optimal mapper layer by layer");
    line.option("--arch", &options.machines);
    line.option("--net", &options.networks);
    line.option("--objective", &options.objectives);
    line.option("--layer", &options.layers, "only these");
    line.option("--limit", &options.limit_seconds, "seconds per layer");
    line.option("--uneven", &options.uneven, "uneven mappings too");
    line.option("--factors", &options.factors, "", {.choices = {"perfect", "ruby-s"}});
    line.option("--quiet", &options.quiet, "summaries only");
    line.option("--json", &options.json, "one document");
    line.option("--shapes", &options.shapes, "names of the networks' layer shapes");
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    if (options.shapes) {
        print_shapes(options.networks);
        return 0;
    }
    std::vector<Row> all;
    for (const std::string& machine : options.machines)
        for (const std::string& network : options.networks)
            for (const std::string& objective : options.objectives) {
                const std::vector<Row> rows = run(options, machine, network, objective);
                all.insert(all.end(), rows.begin(), rows.end());
            }
    if (options.json) print_json(all);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "optimal_layers: %s\n", error.what());
    return 2;
}
