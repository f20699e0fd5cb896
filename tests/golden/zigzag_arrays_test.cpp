// Arrays computing in memory by ZigZag's accounting: a few cases that stand alone (zigzag_arrays.json), and where
// ../shared exists all cases and a whole network, layer by layer.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "zigzag/accounting/zigzag.hpp"
#include "zigzag/files/load.hpp"
#include "zigzag_case.hpp"

namespace tilewright::golden::zigzag_arrays_test {
namespace {

/// Memories keep the order of the file.
using json = nlohmann::ordered_json;
using zigzag::ArrayPart;
using zigzag::MemoryOperand;

const std::filesystem::path kFacts = "tests/golden/zigzag_arrays.json";
const std::filesystem::path kShared = "../shared/golden/cim/zigzag";

json read(const std::filesystem::path& path) {
    std::ifstream in(path);
    return json::parse(in);
}

/// Largest relative difference of the numbers compared, and their number.
struct Distance {
    double largest = 0.0;
    int numbers = 0;
    void add(double ours, const json& theirs) {
        const auto value = theirs.get<double>();
        ++numbers;
        largest = std::max(largest, value == 0.0 ? std::abs(ours) : std::abs(ours / value - 1.0));
    }
};

zigzag::UnevenMapping mapping_of(const json& recorded, const zigzag::Layer& layer) {
    zigzag::UnevenMapping mapping;
    for (const zigzag::Operand& operand : layer.operands) {
        auto& levels = mapping.operands.emplace_back();
        for (const json& level : recorded.at(operand.name)) {
            auto& loops = levels.emplace_back();
            for (const json& loop : level)
                loops.push_back({find_dimension(layer, loop.at(0).get<std::string>()), loop.at(1)});
        }
    }
    return mapping;
}

struct Case {
    zigzag::Accelerator accelerator;
    zigzag::Layer layer;
    zigzag::Result result;
};

Case evaluated(const json& accelerator, const json& layer, const json& mapping) {
    Case one;
    one.accelerator = zigzag::read_accelerator(zigzag::load_text(accelerator.dump()).root);
    one.layer = zigzag::read_workload(zigzag::load_text(json::array({layer}).dump()).root).at(0).layer;
    const zigzag::ArrayUnrolling unrolling =
        zigzag_unrolling_of(nlohmann::json(mapping.at("spatial_mapping_user")), one.accelerator, one.layer);
    one.result = zigzag::evaluate(one.accelerator, one.layer, spatial_pair(one.accelerator, one.layer, unrolling),
                                  mapping_of(mapping.at("temporal_mapping"), one.layer));
    return one;
}

void compare_parts(const zigzag::ArrayParts& ours, const json& theirs, Distance& distance) {
    for (int p = 0; p < zigzag::kArrayParts; ++p) {
        const auto part = static_cast<ArrayPart>(p);
        const std::string name(zigzag::name_of(part));
        if (theirs.contains(name)) distance.add(ours[part], theirs[name]);
    }
}

Distance distance_of(const json& one) {
    Distance distance;
    const Case ours = evaluated(one.at("accelerator"), one.at("layer"), one.at("mapping"));
    EXPECT_EQ(ours.result.refusal, "");
    if (!ours.result.refusal.empty()) return distance;
    const json& theirs = one.at("expected");
    distance.add(ours.result.memory_energy_pj, theirs["energy"]["memory"]);
    distance.add(ours.result.mac_energy_pj, theirs["energy"]["mac"]);
    compare_parts(ours.result.array->pj, theirs["energy"]["mac_breakdown"], distance);
    distance.add(static_cast<double>(ours.result.array->rows), theirs["mapped"]["rows"]);
    const zigzag::Latency& cycles = ours.result.latency;
    distance.add(static_cast<double>(cycles.ideal_temporal_cycles), theirs["latency"]["ideal_temporal_cycle"]);
    distance.add(static_cast<double>(cycles.stall_cycles), theirs["latency"]["temporal_stall"]);
    distance.add(cycles.onloading_cycles, theirs["latency"]["data_onloading"]);
    distance.add(cycles.offloading_cycles, theirs["latency"]["data_offloading"]);
    distance.add(cycles.total(), theirs["latency"]["total2_with_on_and_offloading"]);
    const zigzag::ArrayCosts costs = zigzag::array_costs(ours.accelerator);
    distance.add(costs.clock_ns(), theirs["tclk"]);
    compare_parts(costs.delay_ns, theirs["tclk_breakdown"], distance);
    distance.add(costs.area_mm2.total(), theirs["area"]["imc"]);
    compare_parts(costs.area_mm2, theirs["area"]["breakdown"], distance);
    distance.add(costs.peak_tops(), theirs["peak"]["tops"]);
    distance.add(costs.peak_tops_per_watt(), theirs["peak"]["topsw"]);
    distance.add(costs.peak_tops_per_mm2(), theirs["peak"]["topsmm2"]);
    compare_parts(costs.peak_pj, theirs["peak"]["energy_per_cycle"], distance);
    return distance;
}

TEST(ZigzagArrays, EveryFactIsZigzags) {
    const json facts = read(kFacts);
    EXPECT_EQ(facts.size(), 10U);
    for (std::size_t i = 0; i < facts.size(); ++i) {
        const Distance distance = distance_of(facts[i]);
        EXPECT_LT(distance.largest, 1e-13) << "case " << i;
        EXPECT_GT(distance.numbers, 40);
    }
}

TEST(ZigzagArrays, AWrongNumberIsNoticed) {
    json one = read(kFacts)[0];
    one["expected"]["energy"]["mac_breakdown"]["accumulators"] = 1e-3;
    EXPECT_GT(distance_of(one).largest, 1.0);
}

TEST(ZigzagArrays, AllCasesAreZigzags) {
    if (!std::filesystem::exists(kShared / "cases")) GTEST_SKIP() << "skipped: there is no folder " << kShared;
    int cases = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kShared / "cases")) {
        const Distance distance = distance_of(read(entry.path() / "case.json"));
        EXPECT_LT(distance.largest, 1e-13) << entry.path();
        ++cases;
    }
    EXPECT_EQ(cases, 115);
    std::cout << cases << " cases\n";
}

/// ZigZag leaves memories out in which a layer's operand is not kept.
json with_memories(json accelerator, const json& kept) {
    json memories;
    for (auto& [name, memory] : accelerator["memories"].items()) {
        json operands = json::array();
        for (const json& operand : memory["operands"]) {
            const json names = kept.value(operand.get<std::string>(), json::array());
            if (std::find(names.begin(), names.end(), json(name)) != names.end()) operands.push_back(operand);
        }
        if (operands.empty()) continue;
        memory["operands"] = operands;
        json ports = json::array();
        for (json port : memory["ports"]) {
            json uses = json::array();
            for (const json& use : port["allocation"]) {
                const std::string text = use;
                const json operand = text.substr(0, text.find(','));
                if (std::find(operands.begin(), operands.end(), operand) != operands.end()) uses.push_back(use);
            }
            port["allocation"] = uses;
            if (!uses.empty()) ports.push_back(port);
        }
        memory["ports"] = ports;
        memories[name] = memory;
    }
    accelerator["memories"] = memories;
    return accelerator;
}

// The sums of ZigZag's own test of ResNet-18 (4264976904.6396008 pJ, 4371385 cycles), layer by layer.
TEST(ZigzagArrays, AWholeNetworkIsZigzags) {
    if (!std::filesystem::exists(kShared / "network_aimc.json")) GTEST_SKIP() << "skipped: there is no " << kShared;
    const json network = read(kShared / "network_aimc.json");
    double energy_pj = 0.0;
    double cycles = 0.0;
    for (const json& layer : network.at("layers")) {
        const Case ours = evaluated(with_memories(network.at("accelerator"), layer.at("memories")), layer.at("layer"),
                                    layer.at("mapping"));
        ASSERT_EQ(ours.result.refusal, "") << layer.at("layer").at("id");
        EXPECT_NEAR(ours.result.energy_pj() / layer.at("energy").get<double>(), 1.0, 1e-14);
        EXPECT_EQ(ours.result.latency.total(), layer.at("latency").get<double>());
        energy_pj += ours.result.energy_pj();
        cycles += ours.result.latency.total();
    }
    EXPECT_EQ(network.at("layers").size(), 21U);
    EXPECT_NEAR(energy_pj / network.at("total").at("energy").get<double>(), 1.0, 1e-14);
    EXPECT_EQ(cycles, network.at("total").at("latency").get<double>());
    std::cout << std::setprecision(16) << energy_pj << " pJ, " << cycles << " cycles\n";
}

}  // namespace
}  // namespace tilewright::golden::zigzag_arrays_test
