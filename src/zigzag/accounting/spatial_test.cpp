#include "zigzag/accounting/spatial.hpp"

#include <gtest/gtest.h>

#include "fixtures/zigzag_sample.hpp"

namespace tilewright::zigzag::spatial_test {
namespace {

using namespace sample;

TEST(ZigzagSpatial, FractionsFillTheRoundsEvenly) {
    const Layer layer = convolution({1, 8, 4, 55, 55, 3, 3});
    const Accelerator accelerator = array_of(14, 12);
    const ArrayUnrolling unrolling{{{OY, 14}}, {{FY, 3}, {K, 4}}};
    const SpatialMapping fractional = spatial_mapping(accelerator, layer, unrolling, UnrollRounding::fractional);
    const SpatialMapping whole = spatial_mapping(accelerator, layer, unrolling, UnrollRounding::whole);
    const SpatialMapping covering = spatial_mapping(accelerator, layer, unrolling, UnrollRounding::covering);
    EXPECT_EQ(covering.loops[0][1], (std::vector<ParallelLoop>{{OY, 14}, {FY, 3}, {K, 4}}));
    EXPECT_EQ(fractional.loops[0][1], (std::vector<ParallelLoop>{{OY, 13.75}, {FY, 3}, {K, 4}}));
    EXPECT_EQ(whole.loops[0][1], (std::vector<ParallelLoop>{{OY, 13}, {FY, 3}, {K, 4}}));
    EXPECT_TRUE(fractional.loops[0][0].empty());  // every unit has a register of its own
}

TEST(ZigzagSpatial, RequestsAreClippedToTheLayerAndTheArray) {
    const Layer layer = convolution({1, 8, 4, 6, 6, 3, 3});
    const Accelerator accelerator = array_of(14, 12);
    EXPECT_EQ(legal(accelerator, layer, {{{OY, 14}}, {{K, 99}}}), (ArrayUnrolling{{{OY, 6}}, {{K, 8}}}));
    EXPECT_EQ(legal(accelerator, layer, {{{K, 8}, {C, 4}}, {}}), (ArrayUnrolling{{{C, 4}}, {}}));
    EXPECT_EQ(legal(accelerator, layer, {{{K, 8}}, {{K, 2}}}), (ArrayUnrolling{{}, {{K, 2}}}));
}

TEST(ZigzagSpatial, TheInnermostSharedMemoryLimitsWhatItServes) {
    const Layer layer = convolution({1, 8, 4, 6, 6, 3, 3});
    Accelerator accelerator = array_of(14, 12);
    accelerator.memories[1].served = {0};  // one 8-bit port for all rows
    derive(accelerator);
    EXPECT_EQ(legal(accelerator, layer, {{{K, 8}}, {}}), (ArrayUnrolling{{{K, 1}}, {}}));
    EXPECT_EQ(legal(accelerator, layer, {{{OY, 6}}, {}}), (ArrayUnrolling{{{OY, 6}}, {}}));  // one word for all
}

TEST(ZigzagSpatial, SharedDataBoostNoBandwidth) {
    const Layer layer = convolution({1, 8, 4, 6, 6, 3, 3});
    const Accelerator accelerator = array_of(6, 4);
    const SpatialMapping mapping =
        spatial_mapping(accelerator, layer, {{{OY, 6}}, {{K, 4}}}, UnrollRounding::fractional);
    const UnitCounts weights = unit_counts(layer, layer.operands[1], mapping.loops[1]);
    EXPECT_EQ(weights.units, (std::vector<std::int64_t>{24, 24, 1}));
    EXPECT_EQ(weights.boost, (std::vector<std::int64_t>{1, 4, 1}));  // the six rows share
    EXPECT_DOUBLE_EQ(weights.copies[0], 6.0);
}

TEST(ZigzagSpatial, WindowsSplitIntoPositionsAndReuse) {
    const Layer layer = convolution({1, 8, 4, 6, 6, 3, 3});
    const Operand& input = layer.operands[2];
    const std::vector<Split> splits = split_windows(layer, input, {{{OX, 6}}, {{FX, 3}}});
    EXPECT_DOUBLE_EQ(splits[0].relevant, 6.0);
    EXPECT_DOUBLE_EQ(splits[1].relevant, 8.0 / 6.0);  // three taps add two columns
    EXPECT_DOUBLE_EQ(splits[1].irrelevant, 18.0 / 8.0);
}

TEST(ZigzagSpatial, OpenDimensionsOfTheArrayTakeWhatUsesMostUnits) {
    const Layer layer = convolution({1, 8, 12, 6, 6, 3, 3});
    const Accelerator accelerator = array_of(6, 4);
    const std::vector<ArrayUnrolling> found = legal_unrollings(accelerator, layer, {{std::nullopt, std::nullopt}, {}});
    ASSERT_EQ(found.size(), 3U);
    // 6 x 4 units over two dimensions; on ties earlier dimensions first.
    EXPECT_EQ(found[0], (ArrayUnrolling{{{K, 6}}, {{C, 4}}}));
    EXPECT_EQ(found[1], (ArrayUnrolling{{{K, 6}}, {{OY, 4}}}));
    EXPECT_EQ(found[2], (ArrayUnrolling{{{K, 6}}, {{OX, 4}}}));
}

TEST(ZigzagSpatial, HintsSayWhatOpenDimensionsMayTakeAndGivenOnesStay) {
    const Layer layer = convolution({1, 8, 12, 6, 6, 3, 3});
    const Accelerator accelerator = array_of(6, 4);
    const UnrollingRequest request{{std::nullopt, std::vector<Unrolling>{{C, 4}}}, {{FX, C}, {}}};
    const std::vector<ArrayUnrolling> found = legal_unrollings(accelerator, layer, request);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0], (ArrayUnrolling{{{FX, 3}}, {{C, 4}}})) << "12 units over two dimensions";
    EXPECT_EQ(found[1], (ArrayUnrolling{{{C, 3}}, {{C, 4}}})) << "12 units, but over one; C = 6 would be 24";
}

TEST(ZigzagSpatial, NothingIsChosenWhereEverythingIsGiven) {
    const Layer layer = convolution({1, 8, 12, 6, 6, 3, 3});
    EXPECT_EQ(
        legal_unrollings(array_of(6, 4), layer, {{std::vector<Unrolling>{{OY, 6}}, std::vector<Unrolling>{}}, {}}),
        (std::vector<ArrayUnrolling>{{{{OY, 6}}, {}}}));
}

}  // namespace
}  // namespace tilewright::zigzag::spatial_test
