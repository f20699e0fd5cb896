#include "base/deadline.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace tilewright;

namespace {

using Seconds = std::chrono::duration<double>;
constexpr std::chrono::steady_clock::time_point kBegin{std::chrono::hours(5)};

TEST(Deadline, LiesSoManySecondsAfterTheBegin) {
    EXPECT_EQ(deadline_after(kBegin, Seconds(2.5)), kBegin + std::chrono::milliseconds(2500));
    EXPECT_EQ(deadline_after(kBegin, Seconds(0.0)), kBegin);
}

TEST(Deadline, OfMoreThanTheClockHoldsIsNone) {
    EXPECT_EQ(deadline_after(kBegin, std::nullopt), std::nullopt);
    for (const double seconds : {1e8, 1e10, 1e300, std::numeric_limits<double>::infinity()})
        EXPECT_EQ(deadline_after(kBegin, Seconds(seconds)), std::nullopt) << seconds;
}

}  // namespace
