// cosa_baseline: our objective values beside those that other solvers found for CoSA's released models.
//
//     cosa_baseline [--machine simba] [--variant B] [--formulation counts] [--nodes 1000000] [--within 0.5] [-v]
//     baseline.json
//
// Checks every layer of the file on that machine, whichever formulation the file's own solvers took: the optima are the
// same. Exit status 0: all equal and within the processor time; 1: some are not; 2: bad usage.
#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "command_line/command_line.hpp"
#include "cosa_machine.hpp"

namespace {

using namespace tilewright;

struct Arguments {
    std::string file;
    std::string machine = "simba";
    std::string variant = "B";
    std::string formulation = "counts";
    std::uint64_t nodes = 1'000'000;  ///< of the search tree, per layer
    double within = mip::kInfinity;
    bool verbose = false;
    bool skip_absent = false;
};

const std::map<std::string, std::string> kMachines{{"simba", "simba-cosa"}, {"simba_large", "simba-cosa-large"}};
const std::map<std::string, cosa::Variant> kVariants{
    {"A", cosa::Variant::released_2023}, {"B", cosa::Variant::released_2021}, {"C", cosa::Variant::repaired}};

struct Tally {
    int equal = 0;
    int different = 0;
    std::vector<double> seconds;
};

Einsum layer_of(const nlohmann::json& dims) {
    Convolution shape;
    shape.width = {dims["P"], dims["R"], dims["Wstride"], dims["Wdilation"]};
    shape.height = {dims["Q"], dims["S"], dims["Hstride"], dims["Hdilation"]};
    shape.in_channels = dims["C"];
    shape.out_channels = dims["K"];
    shape.batch = dims["N"];
    return convolution(shape);
}

void check_layer(const std::string& name, const nlohmann::json& layer, const golden::CosaMachine& machine,
                 const Arguments& arguments, Tally& tally) {
    const nlohmann::json& entry = layer["variants"][arguments.variant][arguments.machine];
    cosa::ProgramOptions options;
    options.variant = kVariants.at(arguments.variant);
    options.formulation = cosa::formulation_named(arguments.formulation).value();
    options.limits.nodes = static_cast<std::int64_t>(arguments.nodes);
    const std::clock_t begin = std::clock();
    const cosa::Schedule schedule = machine.schedule(layer_of(layer["dims"]), options);
    tally.seconds.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    const double expected = entry["objective"];
    const bool equal = std::abs(schedule.objective - expected) < 1e-5;
    ++(equal ? tally.equal : tally.different);
    if (!equal || arguments.verbose)
        fmt::print("{:<34} {:.6f}, expected {:.6f} ({}, bound {:.6f}), {} nodes, {:.3f} s\n", name, schedule.objective,
                   expected, mip::status_text(schedule.status), schedule.bound, schedule.nodes, tally.seconds.back());
}

int run(const Arguments& arguments) {
    std::ifstream file(arguments.file);
    const nlohmann::json baseline = nlohmann::json::parse(file);
    const golden::CosaMachine machine(kMachines.at(arguments.machine));
    Tally tally;
    for (const auto& [name, layer] : baseline["layers"].items()) check_layer(name, layer, machine, arguments, tally);
    std::sort(tally.seconds.begin(), tally.seconds.end());
    fmt::print("{} {} {}: {} equal, {} different; processor seconds: median {:.3f}, most {:.3f}\n", arguments.machine,
               arguments.variant, arguments.formulation, tally.equal, tally.different,
               tally.seconds.empty() ? 0.0 : tally.seconds[tally.seconds.size() / 2],
               tally.seconds.empty() ? 0.0 : tally.seconds.back());
    return tally.different == 0 && tally.equal > 0 && tally.seconds.back() <= arguments.within ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    CommandLine line("CoSA's objective values beside a recorded baseline");
    line.option("file", &arguments.file, "", {.required = true});
    line.option("--machine", &arguments.machine, "", {.choices = {"simba", "simba_large"}});
    line.option("--variant", &arguments.variant, "", {.choices = {"A", "B", "C"}});
    line.option("--formulation", &arguments.formulation, "", {.choices = {"counts", "as-published"}});
    line.option("--nodes", &arguments.nodes, "of the search tree, per layer");
    line.option("--within", &arguments.within, "processor seconds that no layer may exceed");
    line.option("-v,--verbose", &arguments.verbose);
    line.option("--skip-absent", &arguments.skip_absent);
    if (const std::optional<int> status = line.parse(argc, argv)) return *status;
    if (arguments.skip_absent && !std::filesystem::exists(arguments.file)) {
        fmt::print("skipped: there is no file {}\n", arguments.file);
        return 0;
    }
    return run(arguments);
}
