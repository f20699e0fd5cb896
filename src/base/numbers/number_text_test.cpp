#include "base/numbers/number_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tilewright::number_text_test {
namespace {

TEST(Number, CountsAreGroupedByThousands) {
    EXPECT_EQ(count_text(std::int64_t{0}), "0");
    EXPECT_EQ(count_text(std::int64_t{999}), "999");
    EXPECT_EQ(count_text(std::int64_t{1000}), "1,000");
    EXPECT_EQ(count_text(std::int64_t{-1234567}), "-1,234,567");
    EXPECT_EQ(count_text(std::numeric_limits<std::int64_t>::max()), "9,223,372,036,854,775,807");
}

TEST(Number, CountsThatAreNotWholeGetTwoDecimals) {
    EXPECT_EQ(count_text(1234.0), "1,234");
    EXPECT_EQ(count_text(1234.5), "1,234.50");
    EXPECT_EQ(count_text(0.999), "1");
    EXPECT_EQ(count_text(1e300), "1.000000e+300");
}

TEST(Number, EnergiesAndAreasGetTheUnitThatFits) {
    EXPECT_EQ(energy_text(0.0), "0 J");
    EXPECT_EQ(energy_text(1.5), "1.500 pJ");
    EXPECT_EQ(energy_text(1234567.0), "1.235 uJ");
    EXPECT_EQ(energy_text(999999.0), "1.000 uJ");  // not "1000 nJ"
    EXPECT_EQ(area_text(12345.0), "12345 um2");
    EXPECT_EQ(area_text(1234567.0), "1.235 mm2");
}

TEST(Number, FiguresKeepFourDigits) {
    EXPECT_EQ(figure_text(0.0), "0");
    EXPECT_EQ(figure_text(620.0), "620.0");
    EXPECT_EQ(figure_text(999.96), "1.000e+03");
    EXPECT_EQ(figure_text(0.00012345), "1.234e-04");
    EXPECT_EQ(figure_text(-5.5), "-5.500");
}

TEST(Number, BarsShowEvenTheSmallestShare) {
    EXPECT_EQ(bar(0.0, 10), "");
    EXPECT_EQ(bar(0.001, 10), "#");
    EXPECT_EQ(bar(0.5, 10), "#####");
    EXPECT_EQ(bar(1.0, 10), "##########");
    EXPECT_EQ(share_text(0.4567), "45.7 %");
}

}  // namespace
}  // namespace tilewright::number_text_test
