#include "fusion/hierarchy/roles.hpp"

#include <gtest/gtest.h>

namespace tilewright::fusion::axes_test {
namespace {

constexpr Mesh kRoom{4, 8};

// Three dimensions; each axis as a bit for each dimension.
void expect_axes(const LoopConstraint& loops, const Mesh& room, unsigned along_x, unsigned along_y) {
    const Axes axes = axes_of(loops, room, 3);
    EXPECT_EQ(axes.along_x, along_x);
    EXPECT_EQ(axes.along_y, along_y);
}

LoopConstraint ordered(std::vector<int> inner, std::vector<int> outer, std::optional<int> split) {
    LoopConstraint loops;
    loops.inner = std::move(inner);
    loops.outer = std::move(outer);
    loops.split = split;
    return loops;
}

TEST(Axes, AnyDimensionMayGoAlongBothWhereNothingIsDemanded) {
    expect_axes({}, kRoom, 0b111, 0b111);
    expect_axes(ordered({2, 0}, {}, std::nullopt), kRoom, 0b111, 0b111);
}

TEST(Axes, TheOrderSaysWhichSideOfTheSplitADimensionIsOn) {
    expect_axes(ordered({2, 0, 1}, {}, 1), kRoom, 0b100, 0b011);
    expect_axes(ordered({2}, {1, 0}, 2), kRoom, 0b110, 0b001);
}

// Dimensions 0 and 1 stand behind 2 in either order, and the split lies between them.
TEST(Axes, DimensionsThatAreFreeInTheOrderMayBeOnEitherSide) {
    expect_axes(ordered({2}, {}, 2), kRoom, 0b111, 0b011);
    expect_axes(ordered({}, {2}, 1), kRoom, 0b011, 0b111);
}

TEST(Axes, NothingGoesAlongAnAxisWithoutNeighbours) {
    expect_axes({}, {1, 8}, 0b000, 0b111);
    expect_axes({}, {4, 1}, 0b111, 0b000);
}

}  // namespace
}  // namespace tilewright::fusion::axes_test
