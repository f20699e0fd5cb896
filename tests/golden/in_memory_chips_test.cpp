// Chips of 22 and 28 nm as ZigZag-IMC describes them (KULeuven-MICAS/zigzag-imc), put together from the circuits of
// cim/gates: its predictions, and how far those are from the published chips.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cim/gates.hpp"

namespace tilewright::cim::gates::chips_test {
namespace {

using nlohmann::json;

const std::filesystem::path kShared = "../shared/golden/cim/chips.json";
constexpr double kTo22nm = 22.0 / 28.0;

/// Area in mm2, energy in pJ of one step of all banks, clock in ns, multiply-accumulates of one step.
struct Prediction {
    double area_mm2 = 0.0;
    double pj = 0.0;
    double clock_ns = 0.0;
    double macs = 0.0;
};

struct Chip {
    explicit Chip(const json& inputs) : from(inputs) {
        v2 = number("vdd") * number("vdd");
        outputs = number("banks") * number("output_channel");
        inputs_of_sum = number("input_channel");
        toggling = number("input_toggle_rate");
        weights = number("weight_sparsity");
        cells_mm2 = number("banks") * from.at("cacti").at("area").get<double>();
    }
    double number(const char* name) const { return from.at(name).get<double>(); }
    void add(double circuits, double mm2, double pj) { made.area_mm2 += circuits * mm2, made.pj += circuits * pj; }
    void area(double circuits, double mm2) { made.area_mm2 += circuits * mm2; }
    void energy(double circuits, double pj) { made.pj += circuits * pj; }
    double accumulator_ns() const {
        return kInputToSumNs +
               kCarryToCarryNs * (number("reg_accumulator_precision") - number("accumulator_input_precision"));
    }

    const json& from;
    double v2 = 0.0;
    double outputs = 0.0;        ///< of all banks
    double inputs_of_sum = 0.0;  ///< of one sum
    double toggling = 0.0;
    double weights = 0.0;
    double cells_mm2 = 0.0;
    Prediction made;
};

double accumulate_mm2() { return kAdderMm2 + kRegisterMm2; }
double accumulate_pj(double v2) { return adder_pj(v2) + register_pj(v2); }

// A ternary weight of two cells; 7-bit inputs at once.
Prediction aimc1(Chip chip) {
    const double at_work = (1 - chip.weights) * chip.outputs;
    chip.area(chip.outputs * chip.inputs_of_sum * 2, kMultiplierMm2 * kTo22nm);
    chip.area(2, chip.cells_mm2);
    chip.area(chip.outputs, adc_mm2(6) * kTo22nm);
    chip.energy(at_work * chip.inputs_of_sum * 2, multiplier_pj(chip.v2) * kTo22nm);
    chip.energy(at_work * chip.inputs_of_sum * 1.5, kNandPf * chip.v2 * kTo22nm);
    chip.energy(at_work, adc_pj(6, chip.v2));
    chip.energy(chip.number("banks") * chip.inputs_of_sum, dac_pj(7, chip.v2));
    chip.made.clock_ns = kNandNs + adc_ns(6, chip.inputs_of_sum);
    chip.made.macs = chip.outputs * chip.inputs_of_sum;
    return chip.made;
}

// Two columns share a converter: everything happens twice.
Prediction aimc2(Chip chip) {
    const double adders = 8 * 7 + 4 * 9 + 2 * 12 + 15;
    const double at_work = (1 - chip.weights) * chip.outputs;
    chip.area(chip.outputs * 2 * chip.inputs_of_sum * 2, kMultiplierMm2);
    chip.area(chip.outputs * adders, kAdderMm2);
    chip.area(chip.outputs * 20, accumulate_mm2());
    chip.area(chip.outputs * 80, kRegisterMm2);
    chip.area(1, chip.cells_mm2);
    chip.area(chip.outputs * 16, adc_mm2(5));
    chip.energy(2 * at_work * 2 * chip.inputs_of_sum * 2, multiplier_pj(chip.v2));
    chip.energy(2 * at_work * adders, adder_pj(chip.v2));
    chip.energy(2 * chip.outputs * 20, accumulate_pj(chip.v2));
    chip.energy(2 * chip.outputs * 80, register_pj(chip.v2));
    chip.energy(2 * at_work * 9 * chip.inputs_of_sum, kNandPf * chip.v2);
    chip.energy(2 * at_work * 16, adc_pj(5, chip.v2));
    chip.energy(2 * chip.number("banks") * 2 * chip.inputs_of_sum, dac_pj(2, chip.v2));
    chip.made.clock_ns = 2 * std::max(kNandNs + adc_ns(5, chip.inputs_of_sum),
                                      sum_tree(chip.inputs_of_sum, 12).delay_ns + chip.accumulator_ns());
    chip.made.macs = chip.outputs * chip.inputs_of_sum;
    return chip.made;
}

// 64 multipliers a column, 16 of them at work; converters of 7 bits in area, 3 in use.
Prediction aimc3(Chip chip) {
    const double at_work = (1 - chip.weights) * chip.outputs;
    chip.area(chip.outputs * 64, kMultiplierMm2 * kTo22nm);
    chip.area(chip.outputs * 6, kAdderMm2 * kTo22nm);
    chip.area(1, chip.cells_mm2 * kTo22nm);
    chip.area(chip.outputs, adc_mm2(7) * kTo22nm);
    chip.energy(chip.toggling * at_work * 16, multiplier_pj(chip.v2) * kTo22nm);
    chip.energy(at_work * 6, adder_pj(chip.v2) * kTo22nm);
    chip.energy(at_work * chip.inputs_of_sum * 8, kLinePf * chip.v2 * kTo22nm);
    chip.energy(at_work, adc_pj(3, chip.v2));
    chip.made.clock_ns = kNandNs + kInputToCarryNs + 5 * kCarryToCarryNs + adc_ns(3, chip.inputs_of_sum);
    chip.made.macs = chip.outputs * chip.number("rows") / 8;
    return chip.made;
}

// One-bit products in trees of trees.
Prediction dimc4(Chip chip) {
    const double adders = 64 * sum_tree(16, 1).adders + 8 * sum_tree(8, 4).adders + sum_tree(8, 6).adders;
    const double sum_bits = chip.number("accumulator_precision");
    const double stage_bits = 8 * chip.number("reg_pipeline_precision");
    chip.add(chip.outputs * chip.inputs_of_sum, kMultiplierMm2, chip.toggling * multiplier_pj(chip.v2));
    chip.add(chip.outputs * adders, kAdderMm2, chip.toggling * chip.weights * adder_pj(chip.v2));
    chip.add(chip.outputs * stage_bits, kRegisterMm2, register_pj(chip.v2));
    chip.add(chip.outputs * sum_bits, accumulate_mm2(), accumulate_pj(chip.v2));
    chip.area(1, chip.cells_mm2);
    chip.made.clock_ns = std::max(kNandNs + sum_tree(16, 1).delay_ns + sum_tree(8, 4).delay_ns,
                                  sum_tree(8, 6).delay_ns + chip.accumulator_ns());
    chip.made.macs = chip.outputs * chip.inputs_of_sum;
    return chip.made;
}

// Multipliers of several bits, one tree for each output, an accumulator; and each chip's own.
Prediction dimc(const std::string& name, Chip chip) {
    const double banks = chip.number("banks");
    const double lanes = chip.number("input_precision") / (chip.from.at("booth_encoding").get<bool>() ? 2 : 1);
    const AdderTree tree = sum_tree(chip.inputs_of_sum, chip.number("adder_input_precision"));
    const double sum_bits = chip.number("accumulator_precision");
    const double products = chip.outputs * chip.inputs_of_sum * lanes * chip.number("multiplier_precision");
    chip.add(products, kMultiplierMm2, chip.toggling * chip.weights * multiplier_pj(chip.v2));
    chip.add(chip.outputs * tree.adders, kAdderMm2, chip.toggling * chip.weights * adder_pj(chip.v2));
    chip.area(1, chip.cells_mm2);
    chip.made.clock_ns = kNandNs + tree.delay_ns + chip.accumulator_ns();
    chip.made.macs = chip.outputs * chip.inputs_of_sum;
    if (name == "DIMC3") {  // another tree over eight sums; weights of several bits; one accumulator a bank
        const AdderTree eight = sum_tree(8, 16);
        chip.add(banks * eight.adders, kAdderMm2, adder_pj(chip.v2));
        chip.add(banks * sum_bits, accumulate_mm2(), accumulate_pj(chip.v2));
        chip.made.clock_ns += eight.delay_ns;
        chip.made.macs /= chip.number("weight_precision");
        return chip.made;
    }
    chip.energy(chip.outputs * sum_bits, accumulate_pj(chip.v2));
    chip.area(chip.outputs * sum_bits * (name == "DIMC2" ? chip.inputs_of_sum : 1.0), accumulate_mm2());
    if (name == "DIMC1") {  // floating point
        chip.area(banks * 5 * 32, kAdderMm2);
        chip.area(banks * 5, 32 * kAdderMm2 + 32 * 1.764e-6);
    }
    if (name == "DIMC2") {  // pipelined
        const double stage_bits = chip.number("reg_pipeline_precision");
        chip.area(chip.outputs * chip.inputs_of_sum * stage_bits, kRegisterMm2);
        chip.energy(chip.outputs * stage_bits, register_pj(chip.v2));
        chip.made.clock_ns = std::max(kNandNs, tree.delay_ns + kInputToSumNs);
    }
    return chip.made;
}

Prediction predicted(const std::string& name, const Chip& chip) {
    if (name == "AIMC1") return aimc1(chip);
    if (name == "AIMC2") return aimc2(chip);
    if (name == "AIMC3") return aimc3(chip);
    if (name == "DIMC4") return dimc4(chip);
    return dimc(name, chip);
}

TEST(InMemoryChips, PredictionsAreZigzagImcs) {
    if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "skipped: there is no file " << kShared;
    std::ifstream in(kShared);
    const json chips = json::parse(in);
    for (const auto& [name, chip] : chips.items()) {
        const json& inputs = chip.at("inputs");
        const Prediction ours = predicted(name, Chip(inputs));
        const double steps =
            inputs.at("activation_precision").get<double>() / inputs.at("input_precision").get<double>();
        const double fj = ours.pj * 1000 * steps / ours.macs;
        const auto relative = [&](const char* of, const char* what, double value) {
            return value / chip.at(of).at(what).get<double>() - 1;
        };
        EXPECT_NEAR(relative("predicted", "area", ours.area_mm2), 0, 1e-13) << name;
        EXPECT_NEAR(relative("predicted", "clock", ours.clock_ns), 0, 1e-13) << name;
        EXPECT_NEAR(relative("predicted", "energy", fj), 0, 1e-13) << name;
        std::cout << name << " beside the chip: area " << 100 * relative("published", "area", ours.area_mm2)
                  << " %, clock " << 100 * relative("published", "clock", ours.clock_ns) << " %, energy "
                  << 100 * relative("published", "energy", fj) << " %\n";
    }
}

}  // namespace
}  // namespace tilewright::cim::gates::chips_test
