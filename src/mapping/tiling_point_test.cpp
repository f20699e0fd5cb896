#include "mapping/tiling_point.hpp"

#include <gtest/gtest.h>

namespace tilewright::tiling_point_test {
namespace {

Einsum product() {
    Einsum einsum;
    einsum.dimensions = {{"M", 8}, {"N", 6}, {"K", 1}};
    einsum.tensors = {{"A", {{{{0, 1}}}, {{{2, 1}}}}, false}, {"O", {{{{0, 1}}}, {{{1, 1}}}}, true}};
    return einsum;
}

Architecture two_memories() {
    Architecture machine;
    machine.memories.resize(2);
    return machine;
}

TilingPoint some_point() {
    TilingPoint point(2, 3);
    point[0].keep = TensorSet::all(2);
    point[0].temporal = {2, 3, 1};
    point[0].order = {1, 0, 2};
    point[0].spread(0, 1, 2);
    point[0].spread(1, 2, 1);
    point[0].spatial_order = {{{1, false}, {0, true}}};
    point[1].keep = TensorSet::of(1);
    point[1].temporal = {2, 1, 1};
    return point;
}

TEST(TilingPoint, IsTheMappingItSpells) {
    const Mapping expected = mapping_of(std::vector<MappingLevel>{
        {TensorSet::all(2),
         {{0, 2, 2, LoopKind::temporal}, {1, 3, 3, LoopKind::temporal}},
         {{0, 2, 2, LoopKind::spatial_y}, {1, 2, 2, LoopKind::spatial_x}}},
        {TensorSet::of(1), {{0, 2, 2, LoopKind::temporal}}, {}},
    });
    EXPECT_EQ(mapping_of(some_point()), expected);
}

TEST(TilingPoint, ComesBackFromItsMapping) {
    const std::optional<TilingPoint> back = perfect_point_of(mapping_of(some_point()), product(), two_memories());
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, some_point());
}

// O[m] on 2 x 2 units, all three m at once: two columns, the second with one unit less.
TEST(TilingPoint, LiesAlongBothAxes) {
    Einsum einsum = product();
    einsum.dimensions[0].extent = 3;
    einsum.dimensions[1].extent = 1;
    const Mapping mapping = mapping_of(std::vector<MappingLevel>{
        {TensorSet::all(2), {}, {{0, 2, 2, LoopKind::spatial_y}, {0, 2, 1, LoopKind::spatial_x}}}, {{}, {}, {}}});
    const std::optional<TilingPoint> point = point_of(mapping, einsum, two_memories());
    ASSERT_TRUE(point);
    EXPECT_EQ((*point)[0].along_x[0], 2);
    EXPECT_EQ((*point)[0].along_y[0], 2);
    EXPECT_EQ((*point)[0].spatial[0], 3) << "no more than there are";
    EXPECT_EQ(mapping_of(*point, einsum), mapping);
}

TEST(TilingPoint, LeavesOutWhatItCannotHold) {
    const auto point_of = [](const std::vector<Loop>& loops) {
        const Mapping mapping = mapping_of(std::vector<MappingLevel>{{TensorSet::all(2), loops, {}}, {{}, {}, {}}});
        return perfect_point_of(mapping, product(), two_memories());
    };
    EXPECT_TRUE(point_of({{0, 8, 8, LoopKind::temporal}}));
    EXPECT_FALSE(point_of({{0, 3, 2, LoopKind::temporal}})) << "a remainder";
    EXPECT_FALSE(point_of({{0, 2, 2, LoopKind::temporal}, {0, 4, 4, LoopKind::temporal}})) << "two loops of a kind";
    EXPECT_FALSE(perfect_point_of(Mapping{}, product(), two_memories())) << "no stores";
}

}  // namespace
}  // namespace tilewright::tiling_point_test
