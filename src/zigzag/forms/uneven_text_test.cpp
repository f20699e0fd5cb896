#include "zigzag/forms/uneven_text.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "fixtures/zigzag_sample.hpp"
#include "zigzag/accounting/nest.hpp"

namespace tilewright::zigzag::uneven_text_test {
namespace {

using namespace sample;

class ZigzagUnevenText : public testing::Test {
   protected:
    Layer layer_ = convolution({1, 8, 4, 6, 6, 3, 3});
    Accelerator accelerator_ = array_of(6, 4);
    SpatialMapping spatial_ = spatial_mapping(accelerator_, layer_, {{{OY, 6}}, {{K, 4}}}, UnrollRounding::fractional);
    UnevenMapping mapping_{{{{{C, 4}, {FX, 3}}, {{FY, 3}, {OX, 6}}, {{K, 2}}},
                            {{{C, 4}, {FX, 3}, {FY, 3}}, {{OX, 6}, {K, 2}}},
                            {{}, {{C, 4}, {FX, 3}, {FY, 3}, {OX, 6}, {K, 2}}, {}}}};

    std::string mistake(const std::string& text) const {
        try {
            (void)parse_levels(accelerator_, layer_, 1, text);
        } catch (const InputError& error) {
            return std::to_string(error.where().column) + ": " + error.message();
        }
        return "";
    }
};

TEST_F(ZigzagUnevenText, OneLinePerOperandReadsBack) {
    const std::string text = to_text(accelerator_, layer_, mapping_);
    EXPECT_EQ(text,
              "O: rf_o [C4 FX3] buffer [FY3 OX6] dram [K2]\n"
              "W: rf_w [C4 FX3 FY3] dram [OX6 K2]\n"
              "I: rf_i [] buffer [C4 FX3 FY3 OX6 K2] dram []\n");
    for (int i = 0; i < layer_.operand_count(); ++i)
        EXPECT_EQ(parse_levels(accelerator_, layer_, i, levels_text(accelerator_, layer_, i, mapping_.operands[i])),
                  mapping_.operands[i]);
}

TEST_F(ZigzagUnevenText, DimensionsThatEndInADigitHaveAColon) {
    layer_.dimensions[C].name = "D1";
    const std::string text = levels_text(accelerator_, layer_, 1, mapping_.operands[1]);
    EXPECT_EQ(text, "rf_w [D1:4 FX3 FY3] dram [OX6 K2]");
    EXPECT_EQ(parse_levels(accelerator_, layer_, 1, text), mapping_.operands[1]);
}

TEST_F(ZigzagUnevenText, MistakesSayWhere) {
    EXPECT_EQ(mistake("rf [C4] dram []"), "1: memory 1 of the 2 of operand W is 'rf_w'");
    EXPECT_EQ(mistake("rf_w [C4 Z2] dram []"), "10: the layer has no dimension 'Z'");
    EXPECT_EQ(mistake("rf_w [C4 K0] dram []"), "10: expected an extent of at least 1");
    EXPECT_EQ(mistake("rf_w [C4 "), "10: expected a loop such as 'K4' or ']'");
    EXPECT_EQ(mistake("rf_w [C4] dram [] dram []"), "19: expected the end: that was the outermost memory");
}

TEST_F(ZigzagUnevenText, TheNestHasOneMemoryColumnPerOperand) {
    EXPECT_EQ(nest_text(accelerator_, layer_, spatial_, mapping_),
              "loop                           O       W     I\n"
              "for K in [0:2)                 dram    dram  buffer\n"
              " for OX in [0:6)               buffer  dram  buffer\n"
              "  for FY in [0:3)              buffer  rf_w  buffer\n"
              "   for FX in [0:3)             rf_o    rf_w  buffer\n"
              "    for C in [0:4)             rf_o    rf_w  buffer\n"
              "     parallel for OY in [0:6)\n"
              "     parallel for K in [0:4)\n");
}

TEST_F(ZigzagUnevenText, OperandsRunTheSameLoopsInTheSameOrder) {
    EXPECT_EQ(problem_with(accelerator_, layer_, mapping_), "");
    std::swap(mapping_.operands[1][0][0], mapping_.operands[1][0][1]);
    EXPECT_EQ(problem_with(accelerator_, layer_, mapping_),
              "operands O and W do not run the same loops in the same order");
    mapping_.operands[1].pop_back();
    EXPECT_EQ(problem_with(accelerator_, layer_, mapping_), "operand W has 2 memory levels, not 1");
}

}  // namespace
}  // namespace tilewright::zigzag::uneven_text_test
