#include "zigzag/files/load.hpp"

#include <gtest/gtest.h>

#include "base/numbers/checked.hpp"

namespace tilewright::zigzag::workload_test {
namespace {

constexpr const char* kLayer = R"(- id: 0
  name: conv
  operator_type: Conv
  equation: O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]
  dimension_relations: [ix=2*ox+1*fx, iy=oy+fy]
  loop_dims: [B, K, C, OY, OX, FY, FX]
  loop_sizes: [1, 64, 3, 28, 14, 3, 3]
  operand_precision: {W: 8, I: 8, O: 24, O_final: 8}
  operand_source: {I: 0, W: 0}
)";

std::string changed(const std::string& from, const std::string& to) {
    std::string text = kLayer;
    return text.replace(text.find(from), from.size(), to);
}

std::string mistake(const std::string& text) {
    try {
        (void)read_workload(yaml::parse_text(text, "net.yaml"));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(ZigzagWorkloadReader, ReadsAConvolution) {
    const Layer layer = read_workload(yaml::parse_text(kLayer)).at(0).layer;
    EXPECT_EQ(layer.operations, 64 * 3 * 28 * 14 * 9);
    ASSERT_EQ(layer.windows.size(), 2U);
    EXPECT_EQ(layer.windows[0].first_step, 2);
    EXPECT_EQ(layer.windows[1].first_step, 1);
    EXPECT_EQ(layer.operands[1].memory, MemoryOperand::i2);
    EXPECT_EQ(layer.operands[2].memory, MemoryOperand::i1);
    EXPECT_EQ(layer.operands[2].elements, 3 * 29 * 30);
    EXPECT_EQ(layer.result().precision_bits, 24);
    EXPECT_EQ(layer.result().final_precision_bits, 8);
}

TEST(ZigzagWorkloadReader, PaddingShrinksAWindowUnlessItsSizeIsGiven) {
    const std::string windows = "  pr_loop_dims: [IX, IY]\n  padding: [[1, 0], [1, 1]]\n";
    const Layer padded = read_workload(yaml::parse_text(kLayer + windows)).at(0).layer;
    EXPECT_EQ(padded.windows[0].size, 28);
    EXPECT_EQ(padded.windows[1].size, 28);
    const Layer given = read_workload(yaml::parse_text(kLayer + windows + "  pr_loop_sizes: [27, 26]\n")).at(0).layer;
    EXPECT_EQ(given.windows[0].size, 27);
}

TEST(ZigzagWorkloadReader, AdditionsHaveTwoInputsOfOneShape) {
    const Layer layer = read_workload(yaml::parse_text(R"(- id: 1
  operator_type: Add
  equation: O[b][g]=W[b][g]+I[b][g]
  loop_dims: [B, G]
  loop_sizes: [2, 8]
  operand_precision: {W: 8, I: 8, O: 16}
)"))
                            .at(0)
                            .layer;
    EXPECT_EQ(layer.name, "layer1");
    EXPECT_EQ(layer.operands[2].elements, 16);
    EXPECT_EQ(layer.result().final_precision_bits, 16);
}

TEST(ZigzagWorkloadReader, MistakesSayWhereAndWhatWasMeant) {
    const auto says = [](const std::string& text, const std::string& words) {
        const std::string message = mistake(text);
        EXPECT_NE(message.find(words), std::string::npos) << message;
    };
    says(changed("I[b][c]", "I[b][cc]"), "net.yaml:4:13: error: loop_dims has no dimension 'CC'");
    says(changed("I[b][c]", "I[b]{c}"), "expected '*', '+' or the end before '{c}");
    says(changed("iy=oy+fy", "iy=oy-fy"), "expected '+' before '-fy'");
    says(changed("iy=oy+fy", "iy=oy+fz"), "loop_dims has no dimension 'FZ'; there are B, K, C, OY, OX, FY and FX");
    says(changed("[1, 64, 3,", "[1, 64,"), "expected a size for each of the 7 loop_dims, found 6");
    says(changed("{W: 8, I: 8,", "{W: 8,"), "the key 'I' is missing");
    says(changed("{I: 0, W: 0}", "{I: 0, V: 0}"), "the equation has no operand 'V'");
    says(changed("W[k][c][fy][fx]*I", "W[k]*V[c]*I"), "more than two inputs are not supported");
    says(changed("O[b][k][oy][ox]", "O[b][k][oy][ix]"), "its result is addressed through a sliding window");
    says(std::string(kLayer) + "  pr_loop_dims: [IX]\n  padding: [[99, 99]]\n", "leaves nothing of it");
}

TEST(ZigzagWorkloadReader, LayersTooLargeToCountAreRefused) {
    EXPECT_THROW((void)read_workload(yaml::parse_text(changed("[1, 64,", "[4611686018427387904, 64,"))), OverflowError);
}

}  // namespace
}  // namespace tilewright::zigzag::workload_test
