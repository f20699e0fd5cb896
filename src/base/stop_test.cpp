#include "base/stop.hpp"

#include <gtest/gtest.h>

namespace tilewright::stop_test {
namespace {

TEST(Stop, IsRemembered) {
    StopSource stop;
    EXPECT_FALSE(stop.requested());
    stop.request();
    EXPECT_TRUE(stop.requested());
}

TEST(Deadline, PassesWithTime) {
    const auto now = std::chrono::steady_clock::now();
    EXPECT_FALSE(passed(Deadline()));
    EXPECT_TRUE(passed(Deadline(now - std::chrono::seconds(1))));
    EXPECT_FALSE(passed(Deadline(now + std::chrono::hours(1))));
}

}  // namespace
}  // namespace tilewright::stop_test
