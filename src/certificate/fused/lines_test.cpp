#include "certificate/fused/claim.hpp"

#include <gtest/gtest.h>

namespace tilewright::certificate::fused_proof::lines_test {
namespace {

const Line kEnergy{1.0, 0.0, {2.0, 0.0}};
const Line kCycles{0.0, 1.0, {3.0, 0.0}};

// Energy of 2 and cycles of 3 at least: 6. Where they are 10 together, (2, 8) is least; (7, 3) is 21.
TEST(FusedLines, TheLeastProductIsAtACorner) {
    EXPECT_DOUBLE_EQ(least_product({kEnergy, kCycles}), 6.0);
    EXPECT_DOUBLE_EQ(least_product({kEnergy, kCycles, {1.0, 1.0, {10.0, 0.0}}}), 16.0);
    EXPECT_DOUBLE_EQ(least_product({{1.0, 1.0, {10.0, 0.0}}, kCycles, kEnergy}), 16.0) << "in any order";
    EXPECT_DOUBLE_EQ(least_product({kEnergy, kCycles, {1.0, 1.0, {4.0, 0.0}}}), 6.0) << "it lies below the corner";
}

// Two that meet at (4, 6): corners are (2, 12), (4, 6) and (7, 3).
TEST(FusedLines, EveryCornerCounts) {
    const Line steep{3.0, 1.0, {18.0, 0.0}};
    const Line flat{1.0, 1.0, {10.0, 0.0}};
    EXPECT_DOUBLE_EQ(least_product({kEnergy, steep, flat, kCycles}), 21.0);
    EXPECT_DOUBLE_EQ(least_product({kEnergy, steep, flat, {1.0, 1.0, {10.0, 0.0}}, kCycles}), 21.0) << "parallel";
}

TEST(FusedLines, OneOfBothMayBeNothing) {
    const Line both{1.0, 1.0, {10.0, 0.0}};
    EXPECT_EQ(least_product({}), 0.0);
    EXPECT_EQ(least_product({kEnergy, both}), 0.0);
    EXPECT_EQ(least_product({kCycles, both}), 0.0);
}

}  // namespace
}  // namespace tilewright::certificate::fused_proof::lines_test
