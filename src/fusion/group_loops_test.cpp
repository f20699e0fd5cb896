// Floors of groups and their members on a small bottleneck, against fronts of leaves.
#include "fusion/group_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures/fused_bottleneck.hpp"
#include "fusion/group_costs.hpp"
#include "fusion/hierarchy/floor_leaves.hpp"
#include "fusion/member.hpp"
#include "fusion/optimize.hpp"

namespace tilewright::fusion::group_loops_test {
namespace {

constexpr double kRounding = 1e-9;
constexpr int kExpand = 0;
constexpr int kFilter = 1;
constexpr int kProject = 2;

// A bottleneck of 4 channels on 6 x 6 places: expand, filter, project.
struct Bottleneck {
    Cascade cascade = fixtures::bottleneck(4, 6);
    Architecture architecture = fixtures::three_levels(100000, 4);
    Machine machine = machine_of(architecture);
    CascadeView view{cascade};
    std::vector<Constraints> demands = std::vector<Constraints>(3);
    FloorLeaves leaves{cascade, architecture, demands, view.may_be_driven()};
    Steps steps{cascade};
    Context context{view, machine, steps, leaves};
    std::vector<LeastCost> least = least_costs(view, machine, leaves);

    // Of a group of all three with steps of `outer` rows and `inner` columns.
    GroupEnd end(std::int64_t outer, std::int64_t inner) const {
        return {kProject, view.loops(kProject).front().marching, {outer, inner}, 0};
    }
    // The cheapest leaf on the whole einsum but for `rows`, all its operands in the buffer.
    Cost best(int e, std::int64_t rows) {
        const Einsum& einsum = cascade.einsums[e].einsum;
        LeafQuestion question{{}, TensorSet::all(einsum.tensor_count()), 0};
        for (const Dimension& dimension : einsum.dimensions)
            question.extents.push_back(dimension.name == "p" ? rows : dimension.extent);
        Cost best{1e300, 1e300};
        for (const LeafPoint& point : leaves.front(e, question))
            best = {std::min(best.energy_pj, point.energy_pj), std::min(best.cycles, point.cycles)};
        return best;
    }
};

TEST(GroupLoops, OneStepMakesWholeBoxes) {
    Bottleneck all;
    LoopFloors loops(all.context);
    const std::vector<Floor> costs = loops.array_costs(all.end(6, 6), all.least);
    ASSERT_EQ(costs.size(), 3U);
    for (const int e : {kExpand, kFilter, kProject}) {
        const Cost best = all.best(e, 6);
        EXPECT_LE(costs[e].cost.energy_pj, best.energy_pj * (1.0 + kRounding));
        EXPECT_NEAR(costs[e].cost.cycles, best.cycles, kRounding * best.cycles) << "tight";
    }
}

// Two rows a step: the filter reads 3, 4 and 3 rows. With their overlap made again expand makes 3, 4 and 3, with
// what is left in the buffer 3, 2 and 1.
TEST(GroupLoops, TheCheaperOfAllWaysToKeepCounts) {
    Bottleneck all;
    LoopFloors loops(all.context);
    const std::vector<Floor> costs = loops.array_costs(all.end(2, 6), all.least);
    const double again = 2.0 * all.best(kExpand, 3).cycles + all.best(kExpand, 4).cycles;
    const double kept = all.best(kExpand, 3).cycles + all.best(kExpand, 2).cycles + all.best(kExpand, 1).cycles;
    EXPECT_NEAR(costs[kExpand].cost.cycles, kept, kRounding * kept) << "tight";
    EXPECT_GT(again, 1.5 * kept) << "a floor of the other way alone would be too high";
    EXPECT_NEAR(costs[kFilter].cost.cycles, 3.0 * all.best(kFilter, 2).cycles, kRounding * kept);
    EXPECT_NEAR(costs[kProject].cost.cycles, 3.0 * all.best(kProject, 2).cycles, kRounding * kept);
}

// Of a group of all three: x, u, v and w come in, y goes out, and nothing between them.
TEST(GroupFloors, WhatComesInAndLeavesIsCountedOnce) {
    Bottleneck all;
    const GroupFloors floors(all.view, all.machine, all.leaves, all.least, {1.0, 0.0});
    const double places = 36.0;
    const double in = 4 * places + 12 * 4 + 12 * 9 + 4 * 12;
    const double out = 4 * places;
    double array = 0.0;
    for (const int e : {kExpand, kFilter, kProject}) {
        std::vector<double> paid = all.least[e].paid;  // of words that pass the buffer by
        if (e != kExpand) paid[0] = -1.0;              // made in the group, as are results that are not the last
        if (e != kProject) paid[2] = -1.0;
        array += all.leaves.per_point(e, paid).front().energy_pj * places * (e == kFilter ? 12 * 9 : 12 * 4);
    }
    const double by_hand = array + (in + out) * 200.0;
    EXPECT_NEAR(floors.whole(0, 2), by_hand, kRounding * by_hand);
    EXPECT_EQ(floors.part(1, 1), 0.0);
    EXPECT_GE(floors.whole(1, 2) - floors.whole(0, 2) + floors.part(0, 1), 12 * places * 200.0 * (1.0 - kRounding))
        << "without expand its result comes in instead";
}

TEST(GroupFloors, TheBestGroupIsNotBelowAndNotFarAbove) {
    for (const Weights weights : {Weights{1.0, 0.0}, Weights{0.0, 1.0}}) {
        Bottleneck all;
        const GroupFloors floors(all.view, all.machine, all.leaves, all.least, weights);
        all.context.weights = weights;
        LoopFloors loops(all.context);
        double least = 1e300;
        for (const std::int64_t outer : {1, 2, 3, 6})
            for (const std::int64_t inner : {1, 2, 3, 6})
                least = std::min(least, floors.whole(0, 2, 0, loops.array_costs(all.end(outer, inner), all.least)));
        EXPECT_GE(least, floors.whole(0, 2));
        const Objective objective{.kind = weights.energy > 0.0 ? ObjectiveKind::energy : ObjectiveKind::latency};
        const Answer answer = optimize(all.cascade, all.architecture, objective);
        ASSERT_TRUE(answer.fused);
        ASSERT_EQ(answer.fused->plan.groups.size(), 1U);
        const double best = weights.value(answer.fused->plan.energy_pj, answer.fused->plan.cycles);
        EXPECT_LE(least, best * (1.0 + kRounding));
        EXPECT_GE(least, 0.9 * best);
    }
}

// The filter in steps of two rows: boxes of one kind, three of them.
TEST(Members, ExceedsLooksAtAsFewFrontsAsItCan) {
    Bottleneck all;
    const Marching rows{all.view.loops(kProject).front().marching[0], -1};
    const MemberQuestion question{kProject, rows, {all.steps.cut(6, 2), all.steps.cut(1, 1)}, TensorSet::all(3)};
    Members members(all.context);
    EXPECT_TRUE(members.exceeds(question, [](const Floor& floor) { return floor.cost.energy_pj > 0.0; }));
    const Cost best = all.best(kProject, 2);
    const double all_pj = 3.0 * best.energy_pj;
    const auto more_than = [](double most) {
        return [most](const Floor& floor) { return floor.cost.energy_pj > most; };
    };
    EXPECT_TRUE(members.exceeds(question, more_than(all_pj * (1.0 - 1e-6))));
    EXPECT_FALSE(members.exceeds(question, more_than(all_pj * (1.0 + 1e-6))));
    const std::size_t known = all.leaves.count();
    EXPECT_NEAR(members.front(question).back().energy_pj, all_pj, kRounding * all_pj);
    EXPECT_EQ(all.leaves.count(), known) << "front() asks for none that exceeds() did not";
}

}  // namespace
}  // namespace tilewright::fusion::group_loops_test
