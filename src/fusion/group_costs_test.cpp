// Paths over groups against a list of all partitions.
#include "fusion/group_costs.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace tilewright::fusion::group_costs_test {
namespace {

constexpr double kNone = GroupCost::kUnknown;
constexpr Weights kEnergy{1.0, 0.0};

GroupPlan group(int first, int last, double energy_pj) {
    GroupPlan plan;
    plan.first = first;
    plan.last = last;
    plan.energy_pj = energy_pj;
    return plan;
}

void learn(GroupCosts& costs, int first, int last, double energy_pj) {
    costs.learn(group(first, last, energy_pj), kEnergy.score(energy_pj, 0.0));
}

// The least of `value` summed over the groups of a partition of einsums first .. end - 1.
double least_of_all(int first, int end, const GroupCosts& costs, const std::function<double(int, int)>& value) {
    if (first == end) return 0.0;
    double least = kNone;
    for (int last = first; last < end; ++last)
        if (costs.first_allowed(last) <= first)
            least = std::min(least, value(first, last) + least_of_all(last + 1, end, costs, value));
    return least;
}

TEST(GroupCosts, FloorsOfGroupsAddUpUntilSomethingIsKnown) {
    const GroupCosts costs({0, 0, 1}, {{1.5}, {3.0, 2.0}, {6.0, 5.0}});
    EXPECT_EQ(costs.least(), 1.5 + 6.0) << "the third is no part of a group with the first";
    EXPECT_EQ(costs.before(2), 3.0);
    EXPECT_EQ(costs.after(1), 6.0);
    EXPECT_EQ(costs.known(), kNone);
    EXPECT_FALSE(costs.best_known(kEnergy));
}

TEST(GroupCosts, APathOfExactGroupsIsTheBest) {
    GroupCosts costs({0, 0}, {{1.0}, {3.0, 2.0}});
    learn(costs, 0, 0, 3.0);
    learn(costs, 1, 1, 2.5);
    learn(costs, 0, 1, 4.0);
    EXPECT_EQ(costs.known(), 4.0);
    EXPECT_EQ(costs.least(), 3.0) << "nothing was looked at";
    costs.looked_at(1, 3.5);
    EXPECT_EQ(costs.least(), 3.5) << "cut off above";
    EXPECT_EQ(costs.open_through(0), 3.5);
    costs.looked_at(1, 10.0);
    EXPECT_EQ(costs.open_through(1), kNone) << "both groups are exact";
    EXPECT_EQ(costs.least(), 3.5) << "the first alone may cost less than 3";
    costs.looked_at(0, 10.0);
    EXPECT_EQ(costs.least(), 4.0);
    EXPECT_EQ(costs.best_known(kEnergy)->groups.size(), 1U);
}

TEST(GroupCosts, PathsAreTheLeastOfAllPartitions) {
    std::mt19937 random(7);
    const auto number = [&](int most) { return static_cast<double>(1 + random() % static_cast<unsigned>(most)); };
    int compared = 0;
    for (int round = 0; round < 300; ++round) {
        const int count = 1 + static_cast<int>(random() % 6);
        std::vector<std::vector<double>> floors;
        std::vector<int> first_allowed;
        for (int e = 0; e < count; ++e) {
            first_allowed.push_back(static_cast<int>(random() % static_cast<unsigned>(e + 1)));
            std::vector<double>& by_first = floors.emplace_back();
            for (int first = first_allowed.back(); first <= e; ++first) by_first.push_back(number(16));
        }
        GroupCosts costs(first_allowed, floors);
        for (int last = 0; last < count; ++last)
            for (int first = first_allowed[last]; first <= last; ++first)
                if (random() % 2 == 0) learn(costs, first, last, costs.of(first, last).floor + number(8));
        for (int last = 0; last < count; ++last)
            if (random() % 2 == 0) costs.looked_at(last, costs.least() + number(8));
        const auto floor = [&](int first, int last) { return costs.of(first, last).floor; };
        const auto known = [&](int first, int last) { return costs.of(first, last).best.first; };
        for (int e = 0; e <= count; ++e) {
            EXPECT_EQ(costs.before(e), least_of_all(0, e, costs, floor));
            EXPECT_EQ(costs.after(e), least_of_all(e, count, costs, floor));
        }
        EXPECT_EQ(costs.known(), least_of_all(0, count, costs, known));
        const auto plan = costs.best_known(kEnergy);
        EXPECT_EQ(plan.has_value(), costs.known() < kNone);
        if (plan) {
            EXPECT_EQ(plan->energy_pj, costs.known());
            ++compared;
        }
    }
    EXPECT_GE(compared, 100);
}

}  // namespace
}  // namespace tilewright::fusion::group_costs_test
