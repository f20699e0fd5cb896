// AccelForge's machines that compute in memory, as its project has them (../shared/golden/cim/public), component by
// component beside recorded tables; and two chips beside CiMLoop's charts of them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "accelforge/files/load.hpp"
#include "accelforge/files/machine.hpp"
#include "accelforge/forms/as_ours.hpp"
#include "cim/machine.hpp"
#include "model/exact/model.hpp"

namespace tilewright::accelforge::in_memory_test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path kShared = "../shared/golden/cim";

json read(const fs::path& path) {
    std::ifstream in(path);
    return json::parse(in);
}

/// The machine's file with other values of variables and widths of tensors.
std::string text_with(const fs::path& file, const json& set) {
    std::stringstream read;
    read << std::ifstream(file).rdbuf();
    std::string text = read.str();
    for (const auto& [name, value] : set.items()) {
        std::string now = value.is_boolean() ? (value.get<bool>() ? "True" : "False") : value.dump();
        if (name.ends_with("_bits"))
            text = std::regex_replace(
                text, std::regex("(name: " + name.substr(0, name.size() - 5) + ",[^\n]*bits_per_value: )[0-9]+"),
                "$01" + now);
        else
            text = std::regex_replace(text, std::regex("(\n +" + name + ": )[^\n]*"), "$01" + now);
    }
    return text;
}

MachineSpec machine_with(const std::string& name, const json& set) {
    const fs::path file = kShared / "public" / "accelforge" / (name + ".yaml");
    jinja::Settings settings;
    settings.folders = {file.parent_path()};
    const yaml::Node root = load_text(text_with(file, set), file.string(), settings);
    const Workload workload = read_workload(root);
    Notes notes;
    const EinsumSpec& einsum = workload.einsums.front();
    return read_machine(root, einsum, with_estimates(root, einsum, {}, notes));
}

/// Largest relative difference by class, and how many components were compared.
struct Differences {
    std::map<std::string, double> largest;
    int compared = 0;
    int free = 0;  ///< of classes outside our tables

    void add(const std::string& what, double ours, double recorded) {
        double& so_far = largest[what];
        const double one = recorded == 0.0 ? std::abs(ours) : std::abs(ours / recorded - 1.0);
        so_far = std::max(so_far, one);
    }
};

void compare(const MachineSpec& machine, const json& row, Differences& all) {
    for (const json& recorded : row.at("components")) {
        const Component& ours = machine.components.at(machine.component_of(recorded.at("node")));
        EXPECT_EQ(ours.component_class, recorded.at("component"));
        if (recorded.at("values").get<double>() > 0.0) {
            EXPECT_NEAR(ours.actions_scale, recorded.at("actions").get<double>() / recorded.at("values").get<double>(),
                        1e-9)
                << recorded;
        }
        const double joules = ours.action("read")->energy_j;
        const double instances = recorded.at("instances");
        if (joules == 0.0 && recorded.at("energy_per_action").get<double>() != 0.0) {
            ++all.free;
            continue;
        }
        ++all.compared;
        const std::string what = ours.component_class + (ours.name == "WeightDrivers" ? " of weights" : "");
        all.add(what + " energy", joules, recorded.at("energy_per_action"));
        all.add(what + " leakage", ours.leak_w * instances, recorded.at("leak_all"));
        all.add(what + " area", ours.area_m2 * instances, recorded.at("area_all"));
    }
}

// Each of our numbers comes from the files' own expressions: slices, means of encoded values, sizes of the array.
TEST(InMemoryFiles, ComponentsAreAccelforges) {
    if (!fs::exists(kShared / "public")) GTEST_SKIP() << "skipped: there is no folder " << kShared / "public";
    Differences all;
    int rows = 0;
    for (const char* name :
         {"basic_analog", "wang_vlsi_2022", "jia_jssc_2020", "neurram_nature_2022", "colonnade_jssc_2021"}) {
        Differences of_this;
        for (const json& row : read(kShared / "macros" / (std::string(name) + ".json"))) {
            compare(machine_with(name, row.at("set")), row, of_this);
            ++rows;
        }
        for (const auto& [what, difference] : of_this.largest) {
            if (std::string(name) == "neurram_nature_2022" && !what.ends_with("weights energy")) {
                EXPECT_LT(difference, 1e-14) << what;
            }
            std::cout << name << " " << what << ": " << difference << "\n";
            all.add(what, 1.0 + difference, 1.0);
        }
        all.compared += of_this.compared;
        all.free += of_this.free;
    }
    EXPECT_EQ(rows, 37);
    EXPECT_EQ(all.compared, 210);
    // Writing weights is no action of these tables; areas of drivers change with the voltage there; the smallest array
    // lies outside our table of circuits, the others within it.
    for (const auto& [what, difference] : all.largest) {
        const bool exact = what.starts_with("ADC") || what.starts_with("Neurram") || what.starts_with("Capacitor");
        if (exact) {
            EXPECT_LT(difference, 1e-12) << what;
        }
        if (what.ends_with("energy") && !what.ends_with("weights energy")) {
            EXPECT_LT(difference, 0.15) << what;
        }
    }
    std::cout << rows << " settings, " << all.compared << " components, " << all.free << " of other classes\n";
}

/// TOPS and TOPS/W of one full product of a chip whose components cost as in tests/golden/in_memory_charts.json.
struct Figures {
    double tops = 0.0;
    double tops_per_watt = 0.0;
};

cim::ArrayPrices prices_of(const json& chip) {
    cim::ArrayPrices prices;
    const auto pj = [&](const char* name) { return Sourced{chip.at("pj").value(name, 0.0), "recorded"}; };
    prices.input_conversion_pj = pj("input_conversion");
    prices.row_drive_pj = pj("row_drive");
    prices.cell_read_pj = pj("cell_read");
    prices.column_settle_pj = pj("column_settle");
    prices.conversion_pj = pj("conversion");
    prices.leak_w = {chip.at("leak_w"), "recorded"};
    prices.step_seconds = chip.at("step_seconds");
    return prices;
}

Figures figures_of(const json& chip) {
    cim::Array array;
    array.rows = chip.at("rows");
    array.columns = chip.at("columns");
    array.cells_per_place = chip.at("cells_per_place");
    array.input_bits_at_once = chip.at("input_bits");
    array.converter_bits = 8;
    Architecture outside;
    outside.memories.emplace_back().name = "outside";
    const Architecture machine =
        with_array(outside, array, slicing_of(array, chip.at("input_bits"), chip.at("weight_bits")), prices_of(chip));
    const Einsum einsum{"product",
                        {{"m", 1}, {"k", array.rows}, {"n", array.columns}},
                        {{"Inputs", {{{{0, 1}}}, {{{1, 1}}}}, false, 0},
                         {"Weights", {{{{1, 1}}}, {{{2, 1}}}}, false, 0},
                         {"Outputs", {{{{0, 1}}}, {{{2, 1}}}}, true, 0}}};
    std::vector<MappingLevel> levels(3);
    levels[0].keep = TensorSet::all(3);
    levels[1].spatial = {{2, array.columns, 1, LoopKind::spatial_x}};
    levels[2].spatial = {{1, array.rows, 1, LoopKind::spatial_y}};
    levels[2].keep.add(1);
    Mapping mapping = mapping_of(levels);
    EXPECT_TRUE(restore_remainders(mapping, einsum));
    const Evaluation evaluation = evaluate(einsum, machine, mapping);
    const double operations = 2.0 * static_cast<double>(evaluation.computes);
    return {operations / (static_cast<double>(evaluation.cycles) * machine.cycle_seconds) / 1e12,
            operations / evaluation.energy_pj};
}

// Wang 2022 and Jia 2020 at two voltages: within 4 % of CiMLoop's charts, read from pictures to half a percent.
TEST(InMemoryFiles, ChipsStandBesideCimloopsCharts) {
    const json chips = read("tests/golden/in_memory_charts.json");
    EXPECT_EQ(chips.size(), 4U);
    for (const json& chip : chips) {
        const Figures ours = figures_of(chip);
        EXPECT_NEAR(ours.tops_per_watt / chip.at("reference").at("topsw").get<double>(), 1.0, 1e-9) << chip.at("name");
        EXPECT_NEAR(ours.tops / chip.at("reference").at("tops").get<double>(), 1.0, 1e-9) << chip.at("name");
        for (const auto& [name, value] : {std::pair{"topsw", ours.tops_per_watt}, {"tops", ours.tops}}) {
            const double percent = 100.0 * (value / chip.at("chart").at(name).get<double>() - 1.0);
            EXPECT_GT(percent, -4.0) << chip.at("name");
            EXPECT_LT(percent, 2.0) << chip.at("name");
            std::cout << chip.at("name") << " " << name << " " << value << ", chart " << percent << " %, chip "
                      << 100.0 * (value / chip.at("published").at(name).get<double>() - 1.0) << " %\n";
        }
    }
}

}  // namespace
}  // namespace tilewright::accelforge::in_memory_test
