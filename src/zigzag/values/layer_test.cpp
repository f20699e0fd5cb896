#include "zigzag/values/layer.hpp"

#include <gtest/gtest.h>

#include "fixtures/zigzag_sample.hpp"

namespace tilewright::zigzag::layer_test {
namespace {

using sample::convolution;

std::int64_t distinct(sample::Steps steps, std::int64_t out, std::int64_t filter) {
    const Layer layer = convolution({1, 1, 1, 1, out, 1, filter}, steps);
    TileSizes tile = unit_tile();
    tile[sample::OX] = static_cast<double>(out);
    tile[sample::FX] = static_cast<double>(filter);
    return distinct_positions(layer.windows[1], tile);
}

TEST(ZigzagLayer, WindowsCountDistinctPositions) {
    EXPECT_EQ(distinct({1, 1}, 14, 3), 16);
    EXPECT_EQ(distinct({2, 1}, 14, 3), 29);
    EXPECT_EQ(distinct({4, 1}, 14, 3), 42);  // the rows between are never read
}

TEST(ZigzagLayer, DilationBeyondTheTileOvershoots) {
    EXPECT_EQ(distinct({1, 2}, 1, 3), 5);  // three positions; ZigZag counts five
}

TEST(ZigzagLayer, ADimensionOfOneIsNeitherRelevantNorIrrelevant) {
    const Layer layer = convolution({1, 8, 4, 6, 6, 3, 3});
    const Operand& weights = layer.operands[1];
    EXPECT_EQ(weights.relevant_axes, (std::vector<int>{sample::K, sample::C, sample::FY, sample::FX}));
    EXPECT_TRUE(weights.irrelevant.has(sample::OX));
    EXPECT_FALSE(weights.irrelevant.has(sample::B));
}

TEST(ZigzagLayer, DimensionsInsideWindowsAreNeitherForTheInput) {
    const Layer layer = convolution({1, 8, 4, 6, 6, 3, 3});
    const Operand& input = layer.operands[2];
    EXPECT_TRUE(input.windowed);
    for (const int d : {sample::OX, sample::OY, sample::FX, sample::FY}) {
        EXPECT_FALSE(input.relevant.has(d));
        EXPECT_FALSE(input.irrelevant.has(d));
    }
    EXPECT_TRUE(input.irrelevant.has(sample::K));
    EXPECT_EQ(input.elements, 4 * 8 * 8);
}

TEST(ZigzagLayer, PaddingShrinksTheWholeTensorAndClipsTiles) {
    Layer layer = convolution({1, 8, 4, 6, 6, 3, 3});
    layer.windows[1].size = 0;
    layer.windows[1].padding = 2;
    derive(layer);
    EXPECT_EQ(layer.operands[2].elements, 4 * 8 * 6);
    TileSizes tile = unit_tile();
    tile[sample::OX] = 5;
    tile[sample::FX] = 3;
    EXPECT_EQ(positions(layer.windows[1], tile), 6);
}

}  // namespace
}  // namespace tilewright::zigzag::layer_test
