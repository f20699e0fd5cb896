#include "timeloop/machine/array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "cim/gates.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/files/zoo.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/machine/settings.hpp"
#include "workload/shapes.hpp"

namespace tilewright::timeloop::array_test {
namespace {

std::string file(const std::string& attributes, const std::string& more = "") {
    return "architecture:\n"
           "  version: 0.4\n"
           "  nodes:\n"
           "  - !Component {name: M, class: SRAM, attributes: {depth: 64, width: 8, datawidth: 8, read_bandwidth: 2}}\n"
           "  - !CellArray\n"
           "    name: macro\n"
           "    spatial: {meshX: 2}\n"
           "    attributes: {" +
           attributes + "}\n" + more + "variables: {version: 0.4, global_cycle_seconds: 1e-8}\n";
}

constexpr const char* kAnalog =
    "rows: 4, columns: 4, cell_bits: 2, weight_bits: 4, input_bits: 8, converter_bits: 3, conversion_energy: 5, "
    "row_drive_energy: 3, cell_energy: 0.25, program_energy: 7, leak_power: 1e-6, area: 90, program_seconds: 1.6e-7";

yaml::Node root_of(const std::string& text) { return load_text(text, "arch.yaml"); }
Architecture machine_in(const std::string& text) { return read_architecture(root_of(text)); }

// 4-bit weights take two columns, an 8-bit input 8 steps: the example of docs/model.md.
TEST(Array, IsTwoLevelsWithPassages) {
    const Architecture machine = machine_in(file(kAnalog));
    ASSERT_EQ(machine.memory_count(), 4);
    EXPECT_EQ(machine.memories[1].name, "inter_macro_spatial");
    const Memory& columns = machine.memories[2];
    EXPECT_EQ(columns.name, "macro");
    EXPECT_TRUE(columns.spreads_only);
    EXPECT_EQ(machine.fanout(2), (Mesh{2, 1}));
    ASSERT_EQ(columns.link.passages.size(), 1U);
    EXPECT_EQ(columns.link.passages[0], (Passage{"row drive", "Inputs", {3, "given in arch.yaml:8"}, 8}));
    EXPECT_DOUBLE_EQ(columns.energy.leak_pj_per_cycle.value, 1e-6 * 8e-8 * 1e12);
    EXPECT_EQ(columns.area_um2.value, 90);
    const Memory& cells = machine.memories[3];
    EXPECT_EQ(cells.name, "macro_cells");
    EXPECT_EQ(cells.instances, 4);
    EXPECT_EQ(cells.capacity_words, 4);
    EXPECT_EQ(machine.fanout(3), (Mesh{1, 4}));
    EXPECT_EQ(cells.energy.read_pj.value, 0.25 * 16);
    EXPECT_EQ(cells.energy.fill_pj.value, 7 * 2);
    EXPECT_DOUBLE_EQ(cells.write_stall_cycles, 2.0);
    ASSERT_EQ(cells.link.passages.size(), 1U);
    EXPECT_EQ(cells.link.passages[0].actions_per_word, 16);
    // A cycle is an operation of all places.
    EXPECT_DOUBLE_EQ(machine.cycle_seconds, 8e-8);
    EXPECT_DOUBLE_EQ(*machine.memories[0].read_words_per_cycle, 16.0);
    EXPECT_EQ(machine.compute.instances, 2 * 2 * 4);
}

TEST(Array, LetsRowsSumAndColumnsShareInputs) {
    const yaml::Node root = root_of(file(kAnalog));
    const Architecture machine = read_architecture(root);
    const Einsum layer = conv2d(4, 8, 6, 3);
    const Constraints constraints = read_constraints(root, machine, layer);
    const auto free = [&](const LoopConstraint& loops) {
        std::string names;
        for (int d = 0; d < layer.dimension_count(); ++d)
            if (loops.factors.at(d).exactly != 1) names += layer.dimensions[d].name;
        return names;
    };
    EXPECT_EQ(free(constraints.levels[2].spatial), "K");
    std::string summed = free(constraints.levels[3].spatial);
    std::ranges::sort(summed);
    EXPECT_EQ(summed, "CRS");
    EXPECT_EQ(free(constraints.levels[3].temporal), "");
    EXPECT_EQ(std::popcount(constraints.levels[3].must_keep.bits()), 1);
    EXPECT_EQ(std::popcount(constraints.levels[3].must_bypass.bits()), 2);
    EXPECT_TRUE(constraints.levels[1].spatial.factors.empty());
}

TEST(Array, TakesPricesFromTablesSurveyAndGates) {
    const Architecture machine = machine_in(
        file("rows: 64, columns: 64, converter_bits: 6, technology: 65nm, cells: sram_example, pulse_ns: 1"));
    const Memory& columns = machine.memories[2];
    EXPECT_EQ(columns.link.passages.at(0).energy_pj.source, "table of array circuits (NeuroSim V1.3), sram_example");
    const std::vector<Passage>& out = machine.memories[3].link.passages;
    ASSERT_FALSE(out.empty());
    EXPECT_EQ(out.back().energy_pj.source, "survey of converters (arXiv 2404.06553), 6 bits at 65 nm");

    // A digital array in use throughout costs what its gates do: ZigZag's sum over a column.
    const Architecture digital =
        machine_in(file("rows: 32, columns: 4, cells_per_place: 8, input_bits: 8, input_bits_at_once: 2, "
                        "technology: 28nm"));
    const double column =
        digital.memories[3].energy.read_pj.value * 32 + digital.memories[3].link.passages.at(0).word_pj();
    const double v2 = 0.81;
    const cim::gates::AdderTree tree = cim::gates::sum_tree(32, 8);
    const cim::gates::AdderTree places = cim::gates::place_value_tree(2, tree.out_bits);
    const double expected = 2 * 8 * 32 * cim::gates::multiplier_pj(v2) +
                            (2 * tree.adders + places.adders) * cim::gates::adder_pj(v2) +
                            (8 + 8 + 5) * (cim::gates::adder_pj(v2) + cim::gates::register_pj(v2));
    EXPECT_NEAR(column, 4 * expected, 1e-9 * column);
}

TEST(Array, IsSetByName) {
    const yaml::Node wider = with_settings(root_of(file(kAnalog)), {{"macro.columns", "12", {"--set"}}});
    EXPECT_EQ(read_architecture(wider).fanout(2), (Mesh{6, 1}));
}

TEST(Array, SaysWhatTheConverterLacks) {
    const std::vector<std::string> notes = notes_about_array(root_of(file(kAnalog)));
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_EQ(notes[0],
              "array 'macro': inputs of 8 bits in 8 slices, weights of 4 bits in 2 columns; 2 weights side by side, 4 "
              "rows summed");
    EXPECT_EQ(notes[1], "array 'macro': its converters of 3 bits lack 1 of the 4 of the largest sum");
    EXPECT_TRUE(notes_about_array(zoo_architecture("eyeriss")).empty());
}

std::string mistake_in(const std::string& text) {
    try {
        (void)machine_in(text);
    } catch (const InputError& error) {
        return std::string(error_code_name(error.code())) + ": " + error.message();
    }
    return "no mistake";
}

TEST(Array, PointsAtMistakes) {
    EXPECT_EQ(mistake_in(file("rows: 4")), "missing-key: the array 'macro' needs 'columns'");
    EXPECT_EQ(mistake_in(file("rows: 4, colums: 4")),
              "unknown-key: unknown attribute 'colums' of an array; did you mean 'columns'?");
    EXPECT_EQ(mistake_in(file("rows: 4, columns: 4, weight_bits: 8")),
              "bad-value: 'macro': a weight takes 8 columns, and there are 4");
    EXPECT_EQ(mistake_in(file("rows: 4, columns: 4, weight_bits: 1, converter_bits: 8")),
              "missing-key: 'macro': a converter needs 'technology' for the survey, or 'conversion_energy'");
    EXPECT_EQ(mistake_in(file("rows: 4, columns: 4, weight_bits: 1, converter_bits: 3, technology: 65nm")),
              "bad-value: 'macro': converters are surveyed from 4 bits: give 'conversion_energy'");
    EXPECT_EQ(mistake_in(file("rows: 4, columns: 4, weight_bits: 1, weight_encoding: sign")),
              "unknown-name: no encoding is called 'sign'; known are magnitude, two_part, offset, xnor, "
              "zero_gated_xnor, offset_if_signed, two_part_if_signed");
    EXPECT_EQ(mistake_in(file("rows: 4, columns: 4, weight_slices: diagonal")),
              "bad-value: 'weight_slices' is diagonal, expected one of parallel and serial");
    EXPECT_EQ(mistake_in(file(kAnalog, "  - !Component {name: m, class: mac}\n")),
              "unsupported: the array 'macro' computes: it comes last");
}

}  // namespace
}  // namespace tilewright::timeloop::array_test
