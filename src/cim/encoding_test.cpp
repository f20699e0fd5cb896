#include "cim/encoding.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/numbers/random.hpp"
#include "cim/component.hpp"

namespace tilewright::cim {
namespace {

// -1, 0 and 1 with a quarter, a half, a quarter.
const Histogram kThree{1, 2, 1};

TEST(CimEncoding, AHistogramHasBits) {
    EXPECT_EQ(bits_of(kThree), 2);
    EXPECT_FALSE(bits_of({1, 2}));
    EXPECT_FALSE(bits_of({0, 0, 0}));
    EXPECT_FALSE(bits_of({1, -2, 1}));
    EXPECT_TRUE(is_signed(kThree));
    EXPECT_FALSE(is_signed({0, 1, 1}));
}

TEST(CimEncoding, ByHand) {
    EXPECT_EQ(cimloop_mean_slices(kThree, Encoding::magnitude, 1, 1), (std::vector<double>{0.5}));
    EXPECT_EQ(cimloop_mean_slices(kThree, Encoding::two_part, 1, 1), (std::vector<double>{0.25}));
    // 0, 1, 2: 00, 01, 10.
    EXPECT_EQ(cimloop_mean_slices(kThree, Encoding::offset, 2, 1), (std::vector<double>{0.25, 0.5}));
    EXPECT_EQ(cimloop_mean_slices(kThree, Encoding::offset, 2, 2), (std::vector<double>{1.0 / 3.0}));
    // +1 is +2 -1 -1/2 +1/2, zero -2 +1 +1/2 +1/2, -1 is -2 +1 -1/2 +1/2.
    EXPECT_EQ(mean_slices(kThree, Encoding::xnor, 2, 1), (std::vector<double>{0.25, 0.75, 0.5, 1.0}));
    EXPECT_EQ(encoded_bits(Encoding::xnor, 2, true), 4);
}

TEST(CimEncoding, AShortSliceIsAShareOfAFullOne) {
    EXPECT_EQ(slice_widths(7, 3), (std::vector<int>{3, 3, 1}));
    EXPECT_EQ(slice_widths(2, 3), (std::vector<int>{2}));
}

// All numbers of 4 bits with the histogram's own: the mean of the value is the sum of its slices.
TEST(CimEncoding, SlicesAddUpToTheMeanValue) {
    Random random(7);
    for (int i = 0; i < 50; ++i) {
        Histogram histogram(15);
        for (double& p : histogram) p = static_cast<double>(random.between(0, 8));
        histogram[3] += 1;
        double mean = 0.0;
        double total = 0.0;
        for (int v = -7; v <= 7; ++v) {
            mean += histogram[v + 7] * (v + 7);
            total += histogram[v + 7];
        }
        const std::vector<double> slices = mean_slices(histogram, Encoding::offset, 4, 2);
        EXPECT_NEAR(slices[0] * 3 * 4 + slices[1] * 3, mean / total, 1e-12);
    }
}

// A finer number keeps the mean of its leading bits when the histogram is symmetric.
TEST(CimEncoding, EveryBitOfAFinerNumberIsKnown) {
    const std::vector<double> fine = mean_slices({1, 1, 1, 1, 1, 1, 1}, Encoding::offset, 8, 1);
    ASSERT_EQ(fine.size(), 8U);
    for (const double bit : fine) EXPECT_NEAR(bit, 0.5, 0.02);
}

TEST(CimConverter, MoreBitsCostMore) {
    double before = 0.0;
    for (int bits = 4; bits <= 12; ++bits) {
        const ConverterCost cost = surveyed_converter(bits, 28.0, 1e8);
        EXPECT_GT(cost.conversion_pj, before);
        before = cost.conversion_pj;
    }
    EXPECT_THROW(surveyed_converter(3.0, 28.0, 1e8), std::invalid_argument);
}

}  // namespace
}  // namespace tilewright::cim
