#include "report/parts/idle_lanes.hpp"

#include <gtest/gtest.h>

#include "fixtures/report_sample.hpp"

namespace tilewright::report::idle_lanes_test {
namespace {

// The sample machine with rows as well: 4 columns and 8 rows below Buffer.
Architecture rows_and_columns() {
    Architecture machine = sample_architecture();
    machine.compute.mesh = {4, 8};
    machine.compute.instances = 32;
    return machine;
}

Mapping spread(const std::vector<Loop>& spatial) {
    Mapping mapping;
    mapping.nodes = {Store{0, TensorSet::all(3)}, Store{1, TensorSet::all(3)}};
    mapping.nodes.insert(mapping.nodes.end(), spatial.begin(), spatial.end());
    return mapping;
}

TEST(IdleLanes, NamesTheLoopsThatDoNotFillAnAxis) {
    const Mapping mapping = spread({{0, 4, 4, LoopKind::spatial_x}, {1, 2, 2, LoopKind::spatial_y}});
    const std::vector<IdleLanes> idle = idle_lanes(sample_einsum(), rows_and_columns(), mapping);
    ASSERT_EQ(idle.size(), 1U);
    EXPECT_EQ(idle_text(idle[0]), "k=2 fills 2 of 8 rows below Buffer");
    EXPECT_DOUBLE_EQ(idle[0].share(), 0.25);
}

TEST(IdleLanes, NamesAnAxisOverWhichNothingSpreads) {
    const Mapping mapping = spread({{1, 8, 8, LoopKind::spatial_y}});
    const std::vector<IdleLanes> idle = idle_lanes(sample_einsum(), rows_and_columns(), mapping);
    ASSERT_EQ(idle.size(), 1U);
    EXPECT_EQ(idle_text(idle[0]), "nothing spreads over the 4 columns below Buffer");
}

TEST(IdleLanes, ShowsRemaindersAndSeveralLoopsTheEmptiestFirst) {
    const Mapping mapping =
        spread({{0, 3, 1, LoopKind::spatial_x}, {0, 2, 2, LoopKind::spatial_y}, {1, 2, 2, LoopKind::spatial_y}});
    const std::vector<IdleLanes> idle = idle_lanes(sample_einsum(), rows_and_columns(), mapping);
    ASSERT_EQ(idle.size(), 2U);
    EXPECT_EQ(idle_text(idle[0]), "m=2 x k=2 fills 4 of 8 rows below Buffer");
    EXPECT_EQ(idle_text(idle[1]), "m=3,1 fills 3 of 4 columns below Buffer");
}

TEST(IdleLanes, SaysNothingOfAFullArray) {
    const Mapping mapping = spread({{0, 4, 4, LoopKind::spatial_x}, {1, 8, 8, LoopKind::spatial_y}});
    EXPECT_TRUE(idle_lanes(sample_einsum(), rows_and_columns(), mapping).empty());
}

}  // namespace
}  // namespace tilewright::report::idle_lanes_test
