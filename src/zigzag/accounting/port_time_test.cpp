#include "zigzag/accounting/port_time.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "base/numbers/random.hpp"

namespace tilewright::zigzag::port_time_test {
namespace {

using ::testing::ElementsAre;

std::int64_t counted_cycle_by_cycle(const std::vector<Activity>& activities) {
    std::int64_t longest = 0;
    for (const Activity& one : activities) longest = std::max(longest, one.period_cycles);
    std::int64_t open = 0;
    for (std::int64_t t = 0; t < longest; ++t)
        for (const Activity& one : activities)
            if (t % one.period_cycles < one.allowed_cycles) {
                ++open;
                break;
            }
    return open;
}

TEST(PortTime, WindowsAreCountedOnceHoweverManyStreamsHaveThem) {
    Random random(3);
    for (int i = 0; i < 500; ++i) {
        std::vector<Activity> activities;
        std::int64_t period = 1;
        std::int64_t repeats = 1;
        for (std::uint64_t n = 0; n < 2 + random.below(5); ++n) {
            period *= random.between(1, 4);
            activities.push_back({0, random.between(0, period - 1), period, 1});
        }
        for (Activity& one : activities) one.count = repeats * period / one.period_cycles;
        std::swap(activities.front(), activities[random.below(activities.size())]);
        ASSERT_EQ(cycles_with_a_window(activities), counted_cycle_by_cycle(activities)) << i;
    }
}

TEST(PortTime, AStreamWithoutPausesHasAllCycles) {
    const std::vector<Activity> activities{{3, 1, 4, 10}, {2, 8, 8, 5}};
    EXPECT_EQ(cycles_with_a_window(activities), 40);
}

TEST(PortTime, OnePortWithOneStreamIsLateOrEarly) {
    EXPECT_EQ(port_stall(std::vector<Activity>{{7, 4, 8, 5}}), (7 - 4) * (5 - 1));
    EXPECT_EQ(port_stall(std::vector<Activity>{{2, 4, 8, 5}}), -8);
    EXPECT_EQ(port_stall({}), 0);
}

TEST(PortTime, StreamsOfOnePortTakeTurns) {
    // Both may use cycles 0 to 3 of 8; the second stream's four transfers of 4 cycles queue.
    EXPECT_EQ(port_stall(std::vector<Activity>{{4, 4, 8, 5}, {4, 4, 8, 5}}), 2 * 4 * 4 - 4 * 5);
}

TEST(PortTime, SurplusHidesTheLongestFirst) {
    std::vector<double> remaining{10.0, 30.0, 20.0};
    hide_in_surplus(remaining, std::vector<double>{0.0, 28.0, 0.0}, 100.0);
    EXPECT_THAT(remaining, ElementsAre(0.0, -2.0, -10.0)) << "what one loses, all longer ones lose with it";
    remaining = {10.0, 30.0};
    hide_in_surplus(remaining, std::vector<double>{0.0, 0.0}, 10.0);
    EXPECT_THAT(remaining, ElementsAre(10.0, 20.0));
    hide_in_surplus(remaining, std::vector<double>{0.0, 0.0}, 0.0);
    EXPECT_THAT(remaining, ElementsAre(10.0, 20.0));
}

TEST(PortTime, SharedBoundariesAreLoadedOneAfterTheOther) {
    Onloading weights;
    weights.add_boundary(10.0, true, true);
    weights.add_boundary(4.0, false, false);
    Onloading inputs;
    inputs.add_boundary(7.0, true, true);
    inputs.add_boundary(5.0, true, false);
    inputs.add_boundary(6.0, false, true);  // replaces the 5
    EXPECT_EQ(onloading_cycles(weights, inputs), std::min(10.0 + std::max(7.0 + 6.0, 4.0), 7.0 + std::max(14.0, 6.0)));
}

}  // namespace
}  // namespace tilewright::zigzag::port_time_test
