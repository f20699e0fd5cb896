#include "model/objective.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(Objective, TiesAreBrokenByWhatItLeavesOut) {
    const Objective latency{ObjectiveKind::latency};
    EXPECT_LT(latency.score(9.0, 10), latency.score(1.0, 11));
    EXPECT_LT(latency.score(1.0, 10), latency.score(2.0, 10));
    const Objective energy{ObjectiveKind::energy};
    EXPECT_LT(energy.score(1.0, 10), energy.score(1.0, 11));
    EXPECT_LT((Objective{}.score(2.0, 3)), Score{}) << "an invalid mapping scores worst";
}

TEST(Objective, ReadsItsNames) {
    EXPECT_EQ(parse_objective("energy")->kind, ObjectiveKind::energy);
    EXPECT_EQ(parse_objective("delay")->kind, ObjectiveKind::latency);
    EXPECT_EQ(parse_objective("edp")->score(2.0, 3).value, 6.0);
    EXPECT_DOUBLE_EQ(parse_objective("ed2p")->score(2.0, 3).value, 18.0);
    EXPECT_DOUBLE_EQ(parse_objective("energy^2*latency")->score(2.0, 3).value, 12.0);
    for (const char* text : {"", "speed", "energy^*latency", "energy^1*latency^-1", "energy^0*latency^0",
                             "energy*latency^2x", "energy^nan*latency"})
        EXPECT_FALSE(parse_objective(text)) << text;
}

}  // namespace
}  // namespace tilewright
