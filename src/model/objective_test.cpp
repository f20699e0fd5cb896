#include "model/objective.hpp"

#include <gtest/gtest.h>

namespace tilewright::objective_test {
namespace {

TEST(Objective, TiesAreBrokenByWhatItLeavesOut) {
    const Objective latency{ObjectiveKind::latency};
    EXPECT_LT(latency.score(9.0, 10), latency.score(1.0, 11));
    EXPECT_LT(latency.score(1.0, 10), latency.score(2.0, 10));
    const Objective energy{ObjectiveKind::energy};
    EXPECT_LT(energy.score(1.0, 10), energy.score(1.0, 11));
    EXPECT_LT((Objective{}.score(2.0, 6)), (Objective{}.score(3.0, 4))) << "of equal products the frugal one";
    Objective faster;
    faster.faster_of_equals = true;
    EXPECT_GT(faster.score(2.0, 6), faster.score(3.0, 4));
    EXPECT_LT(faster.score(2.0, 5), faster.score(3.0, 4));
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

TEST(Objective, ReadsWhatBreaksTies) {
    EXPECT_TRUE(parse_objective("edp,latency")->faster_of_equals);
    EXPECT_TRUE(parse_objective("ed2p,delay")->faster_of_equals);
    EXPECT_TRUE(parse_objective("energy^2*latency,latency")->faster_of_equals);
    for (const char* text :
         {"edp,energy", "ed2p,energy", "energy,latency", "energy,edp", "latency,energy", "delay,edp"})
        EXPECT_FALSE(parse_objective(text)->faster_of_equals) << text;
    for (const char* text : {"edp,", "edp,edp", "ed2p,edp", "energy,energy", "pareto,energy", "edp,pareto",
                             "edp,latency,energy", "edp, latency", "edp,ed2p"})
        EXPECT_FALSE(parse_objective(text)) << text;
}

}  // namespace
}  // namespace tilewright::objective_test
