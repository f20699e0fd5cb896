#include "fusion/cost/cost.hpp"

#include <gtest/gtest.h>

namespace tilewright::fusion::hull_test {
namespace {

std::vector<std::pair<double, double>> pairs(const Hull& hull) {
    std::vector<std::pair<double, double>> all;
    for (const Cost& corner : hull) all.emplace_back(corner.energy_pj, corner.cycles);
    return all;
}

using Pairs = std::vector<std::pair<double, double>>;

// (2, 7) lies above the line from (1, 8) to (3, 2), (4, 2) costs more than (3, 2).
TEST(Hull, OnlyCornersAreLeft) {
    EXPECT_EQ(pairs(hull_of({{4, 2}, {2, 7}, {3, 2}, {1, 8}, {6, 1}})), (Pairs{{1, 8}, {3, 2}, {6, 1}}));
    EXPECT_TRUE(hull_of({}).empty());
}

// Sides: of the first (2, -6), of the second (1, -1) and (4, -2); the steepest comes first.
TEST(Hull, SumsGoAlongTheSidesInTheOrderOfTheirSlopes) {
    const Hull a{{1, 8}, {3, 2}};
    const Hull b{{0, 5}, {1, 4}, {5, 2}};
    EXPECT_EQ(pairs(sum(a, b)), (Pairs{{1, 13}, {3, 7}, {4, 6}, {8, 4}}));
    EXPECT_TRUE(sum(a, {}).empty());
}

TEST(Hull, ASumCostsWhatItsPartsDo) {
    const Hull a{{1, 8}, {3, 2}, {7, 1}};
    const Hull b{{0, 5}, {1, 4}, {5, 2}};
    for (const double cycles : {0.0, 0.1, 0.5, 1.0, 3.0, 20.0}) {
        const Weights weights{1.0, cycles};
        EXPECT_DOUBLE_EQ(least_value(sum(a, b), weights), least_value(a, weights) + least_value(b, weights));
    }
}

}  // namespace
}  // namespace tilewright::fusion::hull_test
