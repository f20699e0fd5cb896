#include "fusion/cost/lines.hpp"

#include <gtest/gtest.h>

namespace tilewright::fusion::lines_test {
namespace {

constexpr double kSame = 1e-11;

// At least 2 of energy, 1 of cycles; found: (2, 8) and (6, 1).
Lines ends() {
    Lines lines({{1.0, 0.0}, 2.0}, {{0.0, 1.0}, 1.0});
    lines.see({2, 8});
    lines.see({6, 1});
    return lines;
}
const Hull kFound{{2, 8}, {6, 1}};

// The corner (2, 1) has to grow by t to the side 7 E + 4 C = 46: 18 t = 46.
TEST(Lines, TheGapIsHowMuchTheCornerGrowsToTheHull) {
    const Lines lines = ends();
    EXPECT_DOUBLE_EQ(lines.gap(kFound, kSame), 46.0 / 18.0 - 1.0);
    EXPECT_DOUBLE_EQ(lines.least_product(6.0, kSame), 2.0);
}

TEST(Lines, TheNextOneGoesThroughWhatWasFound) {
    Lines lines = ends();
    const std::optional<Weights> weights = lines.next(kFound, 0.001, kSame);
    ASSERT_TRUE(weights);
    EXPECT_NEAR(weights->energy / weights->cycles, 7.0 / 4.0, 1e-12);
    lines.add({*weights, weights->value(2, 8)});
    EXPECT_EQ(lines.gap(kFound, kSame), 0.0);
    EXPECT_FALSE(lines.next(kFound, 0.001, kSame));
    EXPECT_DOUBLE_EQ(lines.least_product(6.0, kSame), 6.0) << "16 and 6 at the corners";
}

// 7 E + 4 C >= 39 leaves a gap by itself, a seventh of it: no line beside it closes that.
TEST(Lines, NoneIsAskedForWhereALineIsOpenByItself) {
    Lines lines = ends();
    lines.add({{7.0, 4.0}, 39.0});
    EXPECT_NEAR(lines.gap(kFound, kSame), 46.0 / 39.0 - 1.0, 1e-12);
    EXPECT_FALSE(lines.next(kFound, 0.001, kSame));
    lines.add({{7.0, 4.0}, 46.0});
    EXPECT_EQ(lines.all().size(), 3U) << "the higher one stands for both";
    EXPECT_EQ(lines.gap(kFound, kSame), 0.0);
}

// Those of slopes 3 and 1/3 meet in (3, 3), above 1 E + 1 C = 5.
TEST(Lines, WhatLiesUnderTheOthersIsDropped) {
    Lines lines = ends();
    lines.add({{1.0, 1.0}, 5.0});
    lines.add({{3.0, 1.0}, 12.0});
    EXPECT_EQ(lines.all().size(), 4U);
    lines.add({{1.0, 3.0}, 12.0});
    EXPECT_EQ(lines.all().size(), 4U);
    EXPECT_DOUBLE_EQ(lines.corner(1).energy_pj, 3.0);
    EXPECT_DOUBLE_EQ(lines.corner(1).cycles, 3.0);
}

}  // namespace
}  // namespace tilewright::fusion::lines_test
