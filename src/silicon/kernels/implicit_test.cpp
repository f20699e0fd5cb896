// Implicit products of layers, and their blocks against every rectangle.
#include "silicon/kernels/implicit.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/numbers/checked.hpp"
#include "workload/shapes.hpp"

namespace tilewright::silicon::implicit_test {
namespace {

ImplicitProduct of(const Einsum& einsum) { return std::get<ImplicitProduct>(implicit_product(einsum)); }

TEST(ImplicitProducts, OfLayers) {
    const ProductBatch wide = of(conv2d(16, 32, 4, 3, 2)).batch;
    EXPECT_EQ(wide.count, 1);
    EXPECT_EQ(wide.each.rows, 16);
    EXPECT_EQ(wide.each.columns, 32);
    EXPECT_EQ(wide.each.depth, 16 * 9);
    EXPECT_EQ(wide.each.input_words, 16.0 * 9 * 9);  // the image, not its windows
    EXPECT_EQ(of(gemm(8, 16, 32)).batch, (ProductBatch{{8, 32, 16, false}, 1}));
    EXPECT_EQ(of(batched_matmul(5, 2, 3, 4)).batch, (ProductBatch{{2, 4, 3, false}, 5}));
    const ProductBatch deep = of(depthwise(32, 10, 3)).batch;
    EXPECT_EQ(deep.count, 32);
    EXPECT_EQ(deep.each.rows, 100);
    EXPECT_EQ(deep.each.columns, 1);
    EXPECT_EQ(deep.each.depth, 9);
    Convolution up;
    up.in_channels = 8;
    up.out_channels = 4;
    up.width = up.height = {.positions = 5, .kernel = 2, .stride = 2};
    const ProductBatch transposed = of(transposed_convolution(up)).batch;
    EXPECT_EQ(transposed.each.rows, 25);
    EXPECT_EQ(transposed.each.columns, 4 * 4);
    EXPECT_EQ(transposed.each.depth, 8);
}

TEST(ImplicitProducts, ASplitHasEqualPartsOfTheLongestDimension) {
    const Einsum einsum = conv2d(5, 8, 4, 3);
    const ImplicitProduct product = of(einsum);
    EXPECT_TRUE(can_split(product, einsum, 1));
    EXPECT_TRUE(can_split(product, einsum, 2));
    EXPECT_FALSE(can_split(product, einsum, 4));  // parts of two are three
    EXPECT_FALSE(can_split(product, einsum, 8));
}

std::int64_t fewest_blocks(const std::vector<std::int64_t>& extents, std::int64_t most) {
    std::int64_t best = -1;
    for (std::int64_t a = 1; a <= extents[0]; ++a)
        for (std::int64_t b = 1; b <= extents[1]; ++b)
            for (std::int64_t c = 1; c <= extents[2]; ++c) {
                if (a * b * c > most) continue;
                const std::int64_t blocks = ceil_div(extents[0], a) * ceil_div(extents[1], b) * ceil_div(extents[2], c);
                if (best < 0 || blocks < best) best = blocks;
            }
    return best;
}

TEST(ImplicitProducts, NoRectangleHasFewerBlocks) {
    std::mt19937_64 random(5);
    const auto upto = [&](std::int64_t most) { return static_cast<std::int64_t>(random() % most) + 1; };
    int compared = 0;
    for (; compared < 600; ++compared) {
        Convolution shape;
        shape.batch = upto(4);
        shape.in_channels = 3;
        shape.out_channels = 7;
        shape.width = {.positions = upto(15), .kernel = 3};
        shape.height = {.positions = upto(15), .kernel = 3};
        const Einsum einsum = convolution(shape);
        const ImplicitProduct product = of(einsum);
        const std::int64_t most = upto(64);
        const Extents block = block_extents(product, einsum, {most, 4}, 1, 8);
        std::int64_t rows = 1;
        for (int d = 0; d < einsum.dimension_count(); ++d)
            if (product.sides[d] == Side::rows) rows *= block[d];
        EXPECT_LE(rows, most);
        EXPECT_EQ(blocks_of_one(product, einsum, block),
                  2 * fewest_blocks({shape.batch, shape.width.positions, shape.height.positions}, most));
    }
    EXPECT_EQ(compared, 600);
}

}  // namespace
}  // namespace tilewright::silicon::implicit_test
