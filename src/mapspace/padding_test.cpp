#include "mapspace/padding.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

Einsum product(std::int64_t m, std::int64_t n) {
    Einsum einsum;
    einsum.dimensions = {{"M", m}, {"N", n}};
    einsum.tensors = {{"A", {Rank{{{0, 1}}}}, false}, {"O", {Rank{{{0, 1}}}, Rank{{{1, 1}}}}, true}};
    return einsum;
}

Architecture machine(Mesh mesh) {
    Architecture a;
    a.memories.resize(2);
    a.memories[0].name = "DRAM";
    a.memories[1].name = "Buffer";
    a.memories[1].mesh = a.compute.mesh = mesh;
    a.memories[1].instances = a.compute.instances = mesh.size();
    return a;
}

TEST(Padding, RoundsUpToTheFanOut) {
    EXPECT_EQ(paddings(product(113, 1), machine({16, 1}), {}), (std::vector{product(113, 1), product(128, 1)}));
    EXPECT_EQ(paddings(product(128, 1), machine({16, 1}), {}), (std::vector{product(128, 1)})) << "divides already";
    EXPECT_EQ(paddings(product(13, 1), machine({16, 1}), {}), (std::vector{product(13, 1)})) << "fits whole";
}

TEST(Padding, GivesEachAxisOneDimension) {
    EXPECT_EQ(paddings(product(11, 9), machine({4, 1}), {}),
              (std::vector{product(11, 9), product(12, 9), product(11, 12)}));
    const std::vector<Einsum> both = paddings(product(11, 9), machine({4, 5}), {});
    EXPECT_NE(std::find(both.begin(), both.end(), product(12, 10)), both.end()) << "M along X, N along Y";
    EXPECT_NE(std::find(both.begin(), both.end(), product(15, 12)), both.end()) << "M along Y, N along X";
}

TEST(Padding, LeavesAloneWhatMayNotSpread) {
    Constraints constraints;
    constraints.levels.resize(2);
    constraints.levels[0].spatial.factors = {{1, 1, std::nullopt}, {}};
    EXPECT_EQ(paddings(product(11, 9), machine({4, 1}), constraints), (std::vector{product(11, 9), product(11, 12)}));
}

}  // namespace
}  // namespace tilewright
