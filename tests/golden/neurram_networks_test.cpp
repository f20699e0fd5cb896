// Networks on NeuRRAM, as AccelForge recorded them of its own model (notebook neurram_nature_2022): the machine's file
// as its project has it, with other numbers of rows and columns, and the mappings of neurram_networks.hpp by
// AccelForge's rules of counting.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "accelforge/account/evaluate.hpp"
#include "accelforge/files/load.hpp"
#include "accelforge/files/machine.hpp"
#include "accelforge/forms/as_ours.hpp"
#include "neurram_networks.hpp"

namespace tilewright::accelforge::neurram_networks_test {
namespace {

using namespace golden::neurram;
using nlohmann::json;
namespace fs = std::filesystem;

const fs::path kShared = "../shared/golden/cim";
const fs::path kFolder = kShared / "public" / "accelforge";

/// The machine alone, with n x n cells.
std::string machine_text(int n) {
    std::stringstream read;
    read << std::ifstream(kFolder / "neurram_nature_2022.yaml").rdbuf();
    const std::string text = read.str();
    const std::string size = std::to_string(n);
    return std::regex_replace(text.substr(0, text.find("\nworkload:")),
                              std::regex("(array_rows|array_cols|fanout): 256"), "$1: " + size);
}

std::string workload_text(const Shape& layer) {
    std::ostringstream text;
    text << "\nworkload:\n  bits_per_value: {All: 8}\n  einsums:\n"
         << "  - einsum: \"O[p, q, m] = I[c, H: p * " << layer.stride << " + r, W: q * " << layer.stride
         << " + s] * W[r, s, c, m]\"\n    iteration_space_shape: [";
    const std::array<std::pair<const char*, int>, 6> extents{
        {{"c", layer.c}, {"m", layer.m}, {"p", layer.p}, {"q", layer.q}, {"r", layer.r}, {"s", layer.s}}};
    for (const auto& [name, extent] : extents) text << "0 <= " << name << " < " << extent << ", ";
    text << "]\n    renames: {output: O, input: I, weight: W}\n";
    return text.str();
}

// Weights enter the cells once, all pixels pass them; then one round of the array.
std::string mapping_text(const Mapped& mapped) {
    std::ostringstream text;
    const auto loop = [&](const char* variable, int tile) {
        text << "  - !Temporal {rank_variable: " << variable << ", tile_shape: " << tile << "}\n";
    };
    const auto across = [&](const char* fanout, const char* variable) {
        text << "  - !Spatial {component: " << fanout << ", rank_variable: " << variable << ", tile_shape: 1}\n";
    };
    const auto tolls = [&](std::initializer_list<const char*> names, const char* tensor) {
        for (const char* name : names) text << "  - !Toll {component: " << name << ", tensors: [" << tensor << "]}\n";
    };
    const Shape& tile = mapped.tile;
    text << "mapping:\n  nodes:\n";
    for (const auto& [name, size] : {std::pair{"m", tile.m}, {"c", tile.c}, {"r", tile.r}, {"s", tile.s}})
        loop(name, size);
    text << "  - !Storage {component: CimUnit, tensors: [W]}\n";
    for (const auto& [name, size] : {std::pair{"p", tile.p}, {"q", tile.q}}) loop(name, size);
    tolls({"WordlineCap"}, "O");
    tolls({"RowDrivers"}, "I");
    text << "  - !Storage {component: DummyRowDriverMemory, tensors: [I]}\n";
    tolls({"ColumnDrivers"}, "O");
    for (const char* variable : {"m", "p", "q"}) across("Column, name: column_ARRAY_COLUMNS", variable);
    tolls({"ShiftAdd", "ADC", "Integrator", "Sample"}, "O");
    for (const char* variable : {"c", "r", "s"}) across("Row, name: row_ARRAY_ROWS", variable);
    text << "  - !Compute {einsum: O, component: FreeCompute}\n";
    return text.str();
}

using Groups = std::map<std::string, double>;

/// J by AccelForge's groups of components.
Groups joules_of(int n, const Mapped& mapped) {
    static const std::map<std::string, std::string> kGroup{
        {"ShiftAdd", "out"},   {"ADC", "out"},     {"Integrator", "out"},      {"Sample", "out"},
        {"RowDrivers", "mac"}, {"CimUnit", "mac"}, {"WordlineCap", "control"}, {"WordlineDrivers", "control"}};
    jinja::Settings settings;
    settings.folders = {kFolder};
    const std::string text = machine_text(n) + workload_text(mapped.layer) + mapping_text(mapped);
    const yaml::Node root = load_text(text, (kFolder / "neurram.yaml").string(), settings);
    Notes notes;
    const Workload workload = read_workload(root);
    const Figures figures = with_estimates(root, workload.einsums.front(), {}, notes);
    const Costs costs = evaluate(
        workload, [&](const EinsumSpec& einsum) { return read_machine(root, einsum, figures); }, read_mapping(root));
    EXPECT_TRUE(costs.failures.empty()) << costs.failures.front();
    Groups joules;
    for (const ActionCount& one : costs.einsums.front().actions)
        if (const auto group = kGroup.find(one.component); group != kGroup.end()) joules[group->second] += one.energy_j;
    for (const NamedFigure& one : costs.einsums.front().leak_j)
        if (const auto group = kGroup.find(one.name); group != kGroup.end()) joules[group->second] += one.value;
    return joules;
}

/// fJ a multiply-accumulate.
Groups groups_of(int n, const std::vector<Mapped>& shapes, std::span<const int> layers) {
    Groups all;
    double macs = 0.0;
    std::vector<Groups> joules;
    for (const Mapped& one : shapes) joules.push_back(joules_of(n, one));
    for (const int layer : layers) {
        macs += macs_of(shapes[layer].layer);
        for (const auto& [name, value] : joules[layer]) all[name] += value;
    }
    for (auto& [name, value] : all) value *= 1e15 / macs;
    return all;
}

// Three groups of two networks on six sizes, to the last digit of the record; one of them differs by 0.03 %.
TEST(NeurramNetworks, EveryRecordedFigure) {
    if (!fs::exists(kFolder)) GTEST_SKIP() << "skipped: there is no folder " << kFolder;
    std::ifstream in(kShared / "neurram.json");
    const json recorded = json::parse(in);
    int equal = 0;
    for (const json& one : recorded.at("networks")) {
        const int n = one.at("n");
        const bool is_resnet = one.at("network") == "resnet18";
        const Groups ours =
            is_resnet ? groups_of(n, resnet_on(n), kResnetLayers) : groups_of(n, transformer_on(n), kTransformerLayers);
        for (const auto& [name, fj] : ours) {
            EXPECT_NEAR(fj, one.at(name).get<double>(), 0.035) << one;
            equal += std::round(fj * 100) / 100 == one.at(name).get<double>() ? 1 : 0;
        }
    }
    EXPECT_EQ(equal, 35);
}

}  // namespace
}  // namespace tilewright::accelforge::neurram_networks_test
