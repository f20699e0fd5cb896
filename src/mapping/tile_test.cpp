#include "mapping/tile.hpp"

#include <gtest/gtest.h>

namespace tilewright::tile_test {
namespace {

// O[k, p] += W[k, r] * I[2p + 3r], K 6, P 7, R 3
Einsum strided_convolution() {
    const Tensor weights{"W", {Rank{{Term{0, 1}}}, Rank{{Term{2, 1}}}}, false};
    const Tensor inputs{"I", {Rank{{Term{1, 2}, Term{2, 3}}}}, false};
    const Tensor outputs{"O", {Rank{{Term{0, 1}}}, Rank{{Term{1, 1}}}}, true};
    return {"conv1d", {{"K", 6}, {"P", 7}, {"R", 3}}, {weights, inputs, outputs}};
}

Loop temporal(int dimension, std::int64_t extent) { return {dimension, extent, extent, LoopKind::temporal}; }

// DRAM { K 3, P 4 (7 in steps of 2) } Buffer { X: K 2, R 3 } Registers
Mapping two_levels() {
    Mapping mapping;
    mapping.nodes = {Store{0, TensorSet::all(3)},
                     temporal(0, 3),
                     temporal(1, 4),
                     Store{1, TensorSet::all(3)},
                     Loop{1, 2, 1, LoopKind::temporal},
                     Loop{0, 2, 2, LoopKind::spatial_x},
                     Store{2, TensorSet::all(3)},
                     temporal(2, 3)};
    return mapping;
}

TEST(Tile, IsTheBoxOfTheLoopsInside) {
    const std::vector<Extents> tiles = store_extents(strided_convolution(), two_levels());
    ASSERT_EQ(tiles.size(), 3U);
    EXPECT_EQ(tiles[0][0], 6);
    EXPECT_EQ(tiles[1][0], 2);
    EXPECT_EQ(tiles[2][0], 1);
    EXPECT_EQ(tiles[2][2], 3);
}

TEST(Tile, OfAnImperfectNestNeverExceedsTheDimension) {
    const std::vector<Extents> tiles = store_extents(strided_convolution(), two_levels());
    EXPECT_EQ(tiles[1][1], 2);  // 4 tiles of 2, the last of 1
    EXPECT_EQ(tiles[0][1], 7);  // not 8
}

TEST(Tile, HasAnEntryForEveryNodeAndOneForTheInnermostPoint) {
    const Mapping mapping = two_levels();
    const std::vector<Extents> inside = extents_inside(strided_convolution(), mapping);
    ASSERT_EQ(inside.size(), mapping.nodes.size() + 1);
    EXPECT_EQ(inside[1][0], 2);  // one step of the outer K loop
    for (const std::int64_t extent : inside.back()) EXPECT_EQ(extent, 1);
    for (const std::int64_t extent : inside[inside.size() - 2]) EXPECT_EQ(extent, 1);
}

TEST(Tile, CountsWordsOfTheBoundingBoxWithGaps) {
    Extents box;
    box.fill(1);
    box[1] = 4;
    box[2] = 3;
    const Einsum einsum = strided_convolution();
    EXPECT_EQ(box_words(einsum.tensors[1], box), 1 + 2 * 3 + 3 * 2);
    EXPECT_EQ(box_words(einsum.tensors[0], box), 3);
    EXPECT_EQ(box_words(einsum.tensors[2], box), 4);
}

TEST(Tile, CountsNegativeCoefficientsAsReachToo) {
    const Tensor tensor{"A", {Rank{{Term{0, 1}, Term{1, -2}}}}, false};
    Extents box;
    box.fill(1);
    box[0] = 3;
    box[1] = 4;
    EXPECT_EQ(box_words(tensor, box), 1 + 2 + 6);
}

TEST(Tile, SaturatesHugeFactors) {
    Mapping mapping;
    mapping.nodes = {Store{0, TensorSet::all(3)}, Loop{0, 1LL << 40, 1LL << 40, LoopKind::spatial_x},
                     Loop{1, 1LL << 40, 1LL << 40, LoopKind::spatial_x}};
    EXPECT_EQ(store_extents(strided_convolution(), mapping)[0][0], 6);
}

}  // namespace
}  // namespace tilewright::tile_test
