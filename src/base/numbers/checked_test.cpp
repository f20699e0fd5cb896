#include "base/numbers/checked.hpp"

#include <gtest/gtest.h>

namespace tilewright::checked_test {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST(Checked, ComputesWhatFits) {
    EXPECT_EQ(checked_mul(3037000499LL, 3037000499LL), 9223372030926249001LL);
    EXPECT_EQ(checked_mul(-4, 5), -20);
    EXPECT_EQ(checked_add(kMost - 1, 1), kMost);
}

TEST(Checked, ThrowsWhereItWouldWrap) {
    EXPECT_THROW((void)checked_mul(3037000500LL, 3037000500LL), OverflowError);
    EXPECT_THROW((void)checked_mul(kLeast, -1), OverflowError);
    EXPECT_THROW((void)checked_add(kMost, 1), OverflowError);
    EXPECT_THROW((void)checked_add(kLeast, -1), OverflowError);
}

TEST(Checked, SaturatesWhenAsked) {
    EXPECT_EQ(saturating_mul(1LL << 40, 1LL << 40), kMost);
    EXPECT_EQ(saturating_mul(6, 7), 42);
    EXPECT_EQ(saturating_mul(kMost, 0), 0);
}

TEST(Checked, RoundsQuotientsUp) {
    EXPECT_EQ(ceil_div(0, 4), 0);
    EXPECT_EQ(ceil_div(8, 4), 2);
    EXPECT_EQ(ceil_div(9, 4), 3);
    EXPECT_EQ(ceil_div(kMost, kMost), 1);
}

}  // namespace
}  // namespace tilewright::checked_test
