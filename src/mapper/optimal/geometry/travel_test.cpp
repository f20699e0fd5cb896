#include "mapper/optimal/geometry/travel.hpp"

#include <gtest/gtest.h>

namespace tilewright::optimal::travel_test {
namespace {

constexpr int kRow = 0;
constexpr int kFilterRow = 1;
constexpr int kChannel = 2;

Travel::Pairs as_few_as_may_be() {
    Travel::Pairs pairs;
    pairs.fill(1.0);
    return pairs;
}

// A tile of 5 words, moved three times by 2: one instance of four is idle in the last step.
Travel three_steps() {
    Travel travel(5.0);
    travel.add(kRow, 2.0, 4.0, 1.0, 0.25);
    return travel;
}

TEST(Travel, InstancesThatMissNothingFallBackAllTheWay) {
    EXPECT_DOUBLE_EQ(three_steps().kept_by_others(4.0), 1.0 - 2.0 / 5.0);  // 4 on, 6 back
    EXPECT_DOUBLE_EQ(three_steps().kept_by_others(0.0), 0.0);
}

TEST(Travel, OneThatMissedTheLastStepFallsBackLess) {
    const Travel::Kept kept = three_steps().kept_by_late(kChannel, 0.0, as_few_as_may_be(), 1.0);
    EXPECT_DOUBLE_EQ(kept.most, 1.0 - 4.0 / 5.0);
    EXPECT_DOUBLE_EQ(kept.on_average, 0.25 * kept.most);
    EXPECT_DOUBLE_EQ(kept.others, 0.75);
}

TEST(Travel, ItIsLateInTheLastOfTheStepsToComeOnly) {
    Travel::Pairs pairs = as_few_as_may_be();
    pairs[kRow] = 16.0;  // four steps of four instances
    EXPECT_DOUBLE_EQ(three_steps().kept_by_late(kChannel, 0.0, pairs, 1.0).others, 1.0 - 1.0 / 16.0);
}

TEST(Travel, ALoopDoesNotAdvanceIntoStepsThatItsOwnInstancesMiss) {
    EXPECT_EQ(three_steps().kept_by_late(kRow, 8.0, as_few_as_may_be(), 1.0).most, 0.0);
}

TEST(Travel, InstancesMayMissTheLastStepsOfTwoDimensions) {
    Travel travel(1.0);
    travel.add(kRow, 4.0, 2.0, 2.0, 0.5);
    travel.add(kFilterRow, 1.0, 2.0, 1.0, 0.25);
    const Travel::Kept kept = travel.kept_by_late(kChannel, 0.0, as_few_as_may_be(), 1.0);
    EXPECT_DOUBLE_EQ(kept.most, 1.0);  // both missed: not moved
    EXPECT_DOUBLE_EQ(kept.on_average, 0.25);
}

TEST(Travel, LoopsToComeMayLeadBackToWhereTheTileWas) {
    Travel travel(1.0);
    travel.add(kRow, 4.0, 2.0, 0.0, 0.0);
    EXPECT_EQ(travel.most_kept(std::array{Travel::Rest{2.0, 2.0}}), 0.0);  // 2 is not 4
    EXPECT_EQ(travel.most_kept(std::array{Travel::Rest{2.0, 3.0}}), 1.0);  // twice 2 is
    EXPECT_EQ(travel.most_kept({}), 0.0);
}

}  // namespace
}  // namespace tilewright::optimal::travel_test
