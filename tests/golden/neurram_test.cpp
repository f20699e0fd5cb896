// NeuRRAM (W. Wan et al., "A compute-in-memory chip based on resistive random-access memory", Nature 608, 2022) as a
// machine of cim/machine.hpp, counted by the exact model, beside what AccelForge recorded of its own model of the chip.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "cim/circuits.hpp"
#include "cim/encoding.hpp"
#include "cim/machine.hpp"
#include "model/exact/model.hpp"

namespace tilewright::cim::neurram_test {
namespace {

using nlohmann::json;

const std::filesystem::path kShared = "../shared/golden/cim/neurram.json";
const Histogram kValues{5, 5, 6, 6, 7, 7, 8, 8, 8, 7, 7, 6, 6, 5, 5};

double mean_of(const std::vector<double>& slices) {
    return std::accumulate(slices.begin(), slices.end(), 0.0) / static_cast<double>(slices.size());
}

/// The macro for operands of so many bits, on n x n cells.
struct Chip {
    std::int64_t n = 256;
    int input_bits = 8;
    int weight_bits = 4;
    int output_bits = 10;
    bool one_phase = false;

    int encoded_inputs() const { return std::max(1, input_bits - 1); }
    std::vector<int> phases() const {
        const int bits = encoded_inputs();
        if (one_phase || bits <= 3) return {bits};
        return {(bits + 1) / 2, bits / 2};
    }
    int integration_steps() const {
        int steps = 0;
        for (const int bits : phases()) steps += (1 << bits) - 1;
        return steps;
    }
    int conversion_steps() const {
        int steps = 0;
        int before = 0;
        for (const int bits : phases()) {
            steps += std::max(output_bits - before, 0);
            before += bits;
        }
        return steps;
    }
    double seconds() const {
        return 0.27e-6 * integration_steps() + 0.3e-6 * conversion_steps() +
               0.3e-6 * static_cast<double>(phases().size());
    }
    Array array() const {
        Array array;
        array.rows = array.columns = n;
        array.cell_bits = weight_bits;
        array.accumulates_inputs = true;
        return array;
    }
    Slicing slices() const { return slicing_of(array(), encoded_inputs(), 2 * weight_bits); }
    ArrayCircuit circuit() const { return array_circuit("rram_neurram_nature_2022", n, n, 10.0); }
};

Architecture machine_of(const Chip& chip) {
    const ArrayCircuit circuit = chip.circuit();
    const double input = mean_of(cimloop_mean_slices(kValues, Encoding::magnitude, chip.encoded_inputs(), 1));
    const double weight =
        mean_of(cimloop_mean_slices(kValues, Encoding::two_part, 2 * chip.weight_bits, chip.weight_bits));
    const double columns = static_cast<double>(chip.n);
    ArrayPrices prices;
    prices.row_drive_pj.value = circuit.rows.read.pj(input, weight);
    prices.cell_read_pj.value = circuit.cell.read.pj(input, weight);
    prices.sample_pj.value = 1.2;
    prices.conversion_pj.value = 0.3 * chip.conversion_steps() + 0.25 * chip.integration_steps();
    prices.shift_add_pj.value = 0.1 * chip.conversion_steps();
    const double wordline_pj = (2.1 * columns + 48) * 1e-3 * 1.8 * 1.8;
    prices.entering = {{"wordline", "Outputs", {wordline_pj, ""}, static_cast<double>(chip.slices().inputs)}};
    prices.leak_w.value =
        (30.0 * columns + 2 * circuit.rows.leak_nw + circuit.columns.leak_nw + circuit.weight_row_leak_nw) * 1e-9;
    prices.area_um2.value = columns * (170 + 400 + 350 + 45 * 8) +
                            5.25 * (2 * circuit.rows.area_um2 + circuit.columns.area_um2) +
                            columns * columns * circuit.cell.area_um2;
    prices.step_seconds = chip.seconds() / static_cast<double>(chip.slices().inputs);
    Architecture outside;
    outside.memories.emplace_back().name = "outside";
    return with_array(outside, chip.array(), chip.slices(), prices);
}

/// Rows and columns filled, tiles of n outside those of k, outside the vectors.
struct Run {
    Evaluation evaluation;
    Architecture machine;

    double passage_pj(const std::string& name) const {
        double pj = 0.0;
        for (std::size_t m = 0; m < machine.memories.size(); ++m)
            for (const Passage& passage : machine.memories[m].link.passages)
                if (passage.name == name)
                    pj += passage.word_pj() * evaluation.memories[m].link[passage.tensor == "Inputs" ? 0 : 2].passing;
        return pj;
    }
    double seconds() const { return static_cast<double>(evaluation.cycles) * machine.cycle_seconds; }
};

Run run(const Chip& chip, std::int64_t k, std::int64_t n, std::int64_t m) {
    const Einsum einsum{"product",
                        {{"m", m}, {"k", k}, {"n", n}},
                        {{"Inputs", {{{{0, 1}}}, {{{1, 1}}}}, false, 0},
                         {"Weights", {{{{1, 1}}}, {{{2, 1}}}}, false, 0},
                         {"Outputs", {{{{0, 1}}}, {{{2, 1}}}}, true, 0}}};
    const std::int64_t k_tile = std::min(k, chip.n);
    const std::int64_t n_tile = std::min(n, weights_across(chip.array(), chip.slices()));
    std::vector<MappingLevel> levels(3);
    levels[0].keep = TensorSet::all(3);
    const auto tiles = [](std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; };
    levels[0].temporal = {{2, tiles(n, n_tile), 1, LoopKind::temporal},
                          {1, tiles(k, k_tile), 1, LoopKind::temporal},
                          {0, m, 1, LoopKind::temporal}};
    levels[1].spatial = {{2, n_tile, 1, LoopKind::spatial_x}};
    levels[2].spatial = {{1, k_tile, 1, LoopKind::spatial_y}};
    levels[2].keep.add(1);
    Mapping mapping = mapping_of(levels);
    EXPECT_TRUE(restore_remainders(mapping, einsum));
    Run made{{}, machine_of(chip)};
    made.evaluation = evaluate(einsum, made.machine, mapping);
    return made;
}

/// fJ a multiply-accumulate, by AccelForge's groups.
using Groups = std::map<std::string, double>;

Groups groups_of(const Chip& chip, const std::vector<std::array<std::int64_t, 4>>& layers) {
    const ArrayCircuit circuit = chip.circuit();
    Groups pj;
    double macs = 0.0;
    for (const auto& [groups, k, n, m] : layers) {
        const Run one = run(chip, k, n, m);
        const auto times = static_cast<double>(groups);
        const double row_leak_pj = circuit.rows.leak_nw * 1e3 * one.seconds();
        macs += times * static_cast<double>(one.evaluation.computes);
        pj["out"] += times * (one.passage_pj("conversion") + one.passage_pj("shift and add") +
                              one.passage_pj("sample") + 30e3 * static_cast<double>(chip.n) * one.seconds());
        pj["mac"] +=
            times * (one.passage_pj("row drive") + one.evaluation.memories[2].tensors[1].energy_pj + row_leak_pj);
        pj["control"] += times * (one.passage_pj("wordline") + row_leak_pj);
    }
    for (auto& [name, value] : pj) value *= 1e3 / macs;
    return pj;
}

json recorded() {
    std::ifstream in(kShared);
    return json::parse(in);
}

double rounded(double value, int digits) { return std::round(value * std::pow(10.0, digits)) / std::pow(10.0, digits); }

void expect_precision(const json& one) {
    const Chip chip{
        .input_bits = one.at("input_bits"), .output_bits = one.at("output_bits"), .one_phase = one.at("one_phase")};
    const Run ours = run(chip, 256, 128, 1);
    const auto operations = 2.0 * static_cast<double>(ours.evaluation.computes);
    EXPECT_EQ(rounded(48 * operations / ours.seconds() / 1e12, 4), one.at("model").at("tops")) << one;
    EXPECT_EQ(rounded(operations / ours.evaluation.energy_pj, 2), one.at("model").at("topsw")) << one;
}

// Rows of AccelForge's record: outputs of 3 bits to 10, TOPS and TOPS/W.
TEST(Neurram, PrecisionsAreAccelforges) {
    for (const auto& [output, input, one_phase, tops, topsw] : {std::tuple{3, 1, true, 2.14, 46.6},
                                                                {5, 3, true, 1.2053, 23.34},
                                                                {8, 6, true, 0.2842, 8.0},
                                                                {6, 4, false, 0.7884, 15.34},
                                                                {10, 8, false, 0.2774, 6.21}})
        expect_precision({{"output_bits", output},
                          {"input_bits", input},
                          {"one_phase", one_phase},
                          {"model", {{"tops", tops}, {"topsw", topsw}}}});
}

TEST(Neurram, AreaIsAccelforges) {
    const Chip chip;
    const ArrayCircuit circuit = chip.circuit();
    EXPECT_EQ(std::round(5.25 * (2 * circuit.rows.area_um2 + circuit.columns.area_um2)), 241044);
    EXPECT_EQ(std::round(256 * 256 * circuit.cell.area_um2), 139264);
    EXPECT_EQ(std::round(total_area_um2(machine_of(chip))), 327680 + 241044 + 139264);
}

TEST(Neurram, EveryRecordedPrecisionAndSize) {
    if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "skipped: there is no file " << kShared;
    const json all = recorded();
    for (const json& one : all.at("bits")) expect_precision(one);
    for (const json& one : all.at("array_sizes")) {
        const std::int64_t n = one.at("n");
        const Chip chip{.n = n};
        for (const auto& [name, fj] : groups_of(chip, {{1, n, n / 2, 1}}))
            EXPECT_EQ(rounded(fj, 2), one.at(name)) << one;
    }
    std::cout << all.at("bits").size() << " precisions, " << all.at("array_sizes").size() << " sizes\n";
}

// The first ten layers of two networks. Where a layer leaves columns free, AccelForge puts output pixels there.
TEST(Neurram, Networks) {
    if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "skipped: there is no file " << kShared;
    const json all = recorded();
    int near = 0;
    for (const json& one : all.at("networks")) {
        if (one.at("n") > 256) continue;  // minutes of remainders
        const Chip chip{.n = one.at("n"), .weight_bits = 8, .output_bits = 8};
        const Groups ours = groups_of(chip, all.at("layers").at(one.at("network").get<std::string>()));
        double sum = 0.0;
        double recorded_sum = 0.0;
        for (const auto& [name, fj] : ours) {
            sum += fj;
            recorded_sum += one.at(name).get<double>();
            if (one.at("network") == "vision_transformer") {
                EXPECT_NEAR(fj / one.at(name).get<double>(), 1.0, 1e-3) << one;
            }
        }
        std::cout << one.at("network") << " on " << chip.n << ": " << sum << " fJ a MAC, recorded " << recorded_sum
                  << " (" << 100 * (sum / recorded_sum - 1) << " %)\n";
        near += std::abs(sum / recorded_sum - 1) < 0.01 ? 1 : 0;
    }
    EXPECT_EQ(near, 5);  // of 6: ResNet-18 on 256 x 256 has columns free
}

}  // namespace
}  // namespace tilewright::cim::neurram_test
