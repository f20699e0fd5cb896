#include "base/numbers/count.hpp"

#include <gtest/gtest.h>

namespace tilewright::count_test {
namespace {

constexpr Count kMost = ~Count{0};

TEST(Count, IsShownInFull) {
    EXPECT_EQ(to_text(0), "0");
    EXPECT_EQ(to_text(9081726354), "9081726354");
    EXPECT_EQ(to_text(kMost), "340282366920938463463374607431768211455");
}

TEST(Count, DoesNotWrap) {
    EXPECT_EQ(to_text(checked_mul(kMost / 3, Count{3})), to_text(kMost));
    EXPECT_THROW(checked_mul(kMost / 3, Count{4}), OverflowError);
    EXPECT_EQ(to_text(checked_add(kMost - 1, Count{1})), to_text(kMost));
    EXPECT_THROW(checked_add(kMost, Count{1}), OverflowError);
}

TEST(Count, DrawsBelowLargeBoundsEvenly) {
    Random random(7);
    const Count bound = Count{3} << 64;  // the two lower thirds are whole words
    int thirds[3] = {0, 0, 0};
    for (int i = 0; i < 30'000; ++i) {
        const Count drawn = draw_below(random, bound);
        ASSERT_LT(drawn, bound);
        ++thirds[static_cast<int>(drawn >> 64)];
    }
    for (const int seen : thirds) EXPECT_NEAR(seen, 10'000, 400);
    EXPECT_EQ(to_text(draw_below(random, 1)), "0");
}

}  // namespace
}  // namespace tilewright::count_test
