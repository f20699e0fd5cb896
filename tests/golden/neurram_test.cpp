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
#include "neurram_networks.hpp"

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
    Across across = Across::filters;

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
        array.across = across;
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
    double cells_pj() const { return evaluation.memories.back().tensors[1].energy_pj; }
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

/// A convolution on the rows and columns of `tile`, whose positions share the drives of their windows.
Run run(const Chip& chip, const golden::neurram::Shape& layer, const golden::neurram::Shape& tile) {
    const Einsum einsum{
        "convolution",
        {{"c", layer.c}, {"m", layer.m}, {"p", layer.p}, {"q", layer.q}, {"r", layer.r}, {"s", layer.s}},
        {{"Inputs", {{{{0, 1}}}, {{{2, layer.stride}, {4, 1}}}, {{{3, layer.stride}, {5, 1}}}}, false, 0},
         {"Weights", {{{{0, 1}}}, {{{1, 1}}}, {{{4, 1}}}, {{{5, 1}}}}, false, 0},
         {"Outputs", {{{{1, 1}}}, {{{2, 1}}}, {{{3, 1}}}}, true, 0}}};
    const std::array<int, 6> extents{layer.c, layer.m, layer.p, layer.q, layer.r, layer.s};
    const std::array<int, 6> tiles{tile.c, tile.m, tile.p, tile.q, tile.r, tile.s};
    std::vector<MappingLevel> levels(4);
    levels[0].keep = TensorSet::all(3);
    for (const int d : {1, 0, 4, 5, 2, 3}) {
        const std::int64_t rounds = (extents[d] + tiles[d] - 1) / tiles[d];
        levels[0].temporal.push_back({d, rounds, 1, LoopKind::temporal});
    }
    levels[1].keep.add(0);
    for (const int d : {1, 2, 3}) levels[2].spatial.push_back({d, tiles[d], 1, LoopKind::spatial_x});
    for (const int d : {0, 4, 5}) levels[2].spatial.push_back({d, tiles[d], 1, LoopKind::spatial_y});
    levels[3].keep.add(1);
    Mapping mapping = mapping_of(levels);
    EXPECT_TRUE(restore_remainders(mapping, einsum));
    Run made{{}, machine_of(chip)};
    made.evaluation = evaluate(einsum, made.machine, mapping);
    return made;
}

/// fJ a multiply-accumulate, by AccelForge's groups.
using Groups = std::map<std::string, double>;

/// Of each layer, and how many there are.
using Runs = std::vector<std::pair<Run, double>>;

Groups groups_of(const Chip& chip, const Runs& runs) {
    const ArrayCircuit circuit = chip.circuit();
    Groups pj;
    double macs = 0.0;
    for (const auto& [one, times] : runs) {
        const double row_leak_pj = circuit.rows.leak_nw * 1e3 * one.seconds();
        macs += times * static_cast<double>(one.evaluation.computes);
        pj["out"] += times * (one.passage_pj("conversion") + one.passage_pj("shift and add") +
                              one.passage_pj("sample") + 30e3 * static_cast<double>(chip.n) * one.seconds());
        pj["mac"] += times * (one.passage_pj("row drive") + one.cells_pj() + row_leak_pj);
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
        for (const auto& [name, fj] : groups_of(chip, {{run(chip, n, n / 2, 1), 1.0}}))
            EXPECT_EQ(rounded(fj, 2), one.at(name)) << one;
    }
    std::cout << all.at("bits").size() << " precisions, " << all.at("array_sizes").size() << " sizes\n";
}

/// AccelForge drives rows for inputs between the positions of a stride, too: so many pJ more.
double gaps_pj(const Run& one, const golden::neurram::Mapped& mapped) {
    const auto& [layer, tile] = mapped;
    if (layer.stride <= layer.r) return 0.0;
    const auto box = [&](int positions) { return (positions - 1) * layer.stride + 1; };
    const double rounds = static_cast<double>(layer.p * layer.q) / (tile.p * tile.q);
    const double words = layer.c * rounds * (box(tile.p) * box(tile.q) - tile.p * tile.q);
    for (const Memory& memory : one.machine.memories)
        for (const Passage& passage : memory.link.passages)
            if (passage.name == "row drive") return words * passage.word_pj();
    return 0.0;
}

// Two networks on six sizes by the exact model, output positions in the spare columns. AccelForge counts means where
// tiles leave a rest.
TEST(Neurram, SpareColumnsHoldPositions) {
    if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "skipped: there is no file " << kShared;
    const json all = recorded();
    double largest = 0.0;
    for (const json& one : all.at("networks")) {
        const bool is_resnet = one.at("network") == "resnet18";
        const Chip chip{.n = one.at("n"), .weight_bits = 8, .output_bits = 8, .across = Across::positions};
        const auto n = static_cast<int>(chip.n);
        const auto shapes = is_resnet ? golden::neurram::resnet_on(n) : golden::neurram::transformer_on(n);
        const auto& layers = is_resnet ? golden::neurram::kResnetLayers : golden::neurram::kTransformerLayers;
        Runs runs;
        double gaps = 0.0;
        double macs = 0.0;
        for (const auto& mapped : shapes) runs.emplace_back(run(chip, mapped.layer, mapped.tile), 0.0);
        for (const int layer : layers) {
            runs[layer].second += 1.0;
            gaps += gaps_pj(runs[layer].first, shapes[layer]);
            macs += golden::neurram::macs_of(shapes[layer].layer);
        }
        Groups ours = groups_of(chip, runs);
        ours["mac"] += gaps * 1e3 / macs;
        for (const auto& [name, fj] : ours) {
            const double relative = fj / one.at(name).get<double>() - 1.0;
            EXPECT_NEAR(relative, 0.0, 1e-3) << one << " " << name;
            largest = std::max(largest, std::abs(relative));
        }
    }
    std::cout << all.at("networks").size() << " networks, largest difference " << 100 * largest << " %\n";
}

}  // namespace
}  // namespace tilewright::cim::neurram_test
