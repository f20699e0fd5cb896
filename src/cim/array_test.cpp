#include "cim/array.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fixtures/array_walk.hpp"

namespace tilewright::cim {
namespace {

// spec: 4 rows, 4 columns of 2-bit cells, weights of 4 bits, inputs of 8 bits one at a time; K 6, N 3, M 5.
TEST(CimArray, ByHand) {
    Array array;
    array.rows = array.columns = 4;
    array.cell_bits = 2;
    const Slicing slices = slicing_of(array, 8, 4);
    EXPECT_EQ(slices, (Slicing{8, 2}));
    EXPECT_EQ(weights_across(array, slices), 2);
    const ArrayCounts counts = counts_of(array, slices, {6, 3, 5, 4, 2});
    EXPECT_EQ(counts.cells_programmed, 36);
    EXPECT_EQ(counts.input_conversions, 480);
    EXPECT_EQ(counts.cell_reads, 1440);
    EXPECT_EQ(counts.conversions, 480);
    EXPECT_EQ(counts.sums_written, 30);
    EXPECT_EQ(counts.sums_read_back, 15);
    EXPECT_EQ(counts.steps, 160);
    EXPECT_EQ(lossless_converter_bits(array), 4);  // 4 * 1 * 3 = 12
}

TEST(CimArray, ClosedFormsEqualAWalkOverEveryOperation) {
    Random random(3);
    int shared = 0;
    for (int i = 0; i < 1000; ++i) {
        const RandomArray one = random_array(random);
        shared += one.product.m_tile > 1 && one.product.stride < one.product.window ? 1 : 0;
        ASSERT_EQ(problem_with(one.array), "");
        ASSERT_EQ(counts_of(one.array, one.slices, one.product), walked(one.array, one.slices, one.product)) << i;
    }
    EXPECT_GT(shared, 20);
}

// 4 positions of a window of 3, 2 channels: 2 * 6 rows instead of 4 times 2 * 3; 2 filters in 8 columns.
TEST(CimArray, PositionsBesideEachOtherShareRows) {
    Array array;
    array.rows = 12;
    array.columns = 8;
    array.across = Across::positions;
    const ArrayCounts counts = counts_of(array, {1, 1}, {2, 2, 8, 2, 2, 3, 1, 4});
    EXPECT_EQ(counts.row_drives, 2 * 12);
    EXPECT_EQ(counts.cells_programmed, 2 * 3 * 2 * 4);
    EXPECT_EQ(counts.cell_reads, 2 * 3 * 2 * 8);
    EXPECT_EQ(counts.conversions, 16);
    EXPECT_EQ(counts.steps, 2);
    array.rows = 11;
    EXPECT_THROW(counts_of(array, {1, 1}, {2, 2, 8, 2, 2, 3, 1, 4}), std::invalid_argument);
    array = {.rows = 12, .columns = 8};
    EXPECT_THROW(counts_of(array, {1, 1}, {2, 2, 8, 2, 2, 3, 1, 4}), std::invalid_argument);
}

TEST(CimArray, TilesHaveToFit) {
    Array array;
    array.rows = 4;
    array.columns = 2;
    EXPECT_THROW(counts_of(array, {1, 1}, {8, 2, 1, 5, 1}), std::invalid_argument);
    EXPECT_THROW(counts_of(array, {1, 2}, {8, 2, 1, 4, 2}), std::invalid_argument);
}

}  // namespace
}  // namespace tilewright::cim
