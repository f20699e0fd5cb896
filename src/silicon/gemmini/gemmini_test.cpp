// Gemmini's tiler and arguments. tests/golden/silicon_facts_test.cpp compares with recorded tilings.
#include <gtest/gtest.h>

#include "silicon/gemmini/tiler.hpp"
#include "workload/shapes.hpp"

namespace tilewright::silicon::gemmini::gemmini_test {
namespace {

TiledLayer layer(const Einsum& einsum) { return std::get<TiledLayer>(whole_layer(einsum)); }

TEST(GemminisTiler, FillsHalfOfTheMemoriesAndNothingMoreFits) {
    int compared = 0;
    for (const std::int64_t channels : {3, 64, 256, 1024})
        for (const std::int64_t size : {4, 14, 56, 112})
            for (const std::int64_t kernel : {1, 3, 7}) {
                const TiledLayer tiled = tiled_by_gemmini(layer(conv2d(channels, channels, size, kernel)));
                EXPECT_TRUE(fits(tiled, tiled.tile, {}));
                for (int i = 0; i < kAxes; ++i) {
                    AxisExtents more = tiled.tile;
                    if (++more[static_cast<Axis>(i)] > tiled.whole[static_cast<Axis>(i)]) continue;
                    EXPECT_FALSE(fits(tiled, more, {})) << channels << " " << size << " " << kernel << " " << i;
                }
                ++compared;
            }
    EXPECT_EQ(compared, 48);
}

TEST(GemminisTiler, ProductsStartFromASquare) {
    const TiledLayer tiled = tiled_by_gemmini(layer(gemm(512, 1024, 1024)));
    EXPECT_EQ(tiled.tile[Axis::k], 80);  // 5 blocks; beside 51 of the reduction no sixth fits
    EXPECT_EQ(tiled.tile[Axis::p], 80);
}

TEST(GemminisArguments, CountBlocksOfProductsAndChannelsOfConvolutions) {
    TiledLayer product = layer(gemm(128, 3072, 768));
    product.tile[Axis::k] = 16;
    product.order = {Axis::k};
    EXPECT_EQ(problem_with(product, 16), "");
    EXPECT_EQ(arguments_text("fc", product, 16),
              "gemmini:\n  layer: \"fc\"\n  function: tiled_matmul\n  shape: {dim_I: 128, dim_J: 768, dim_K: 3072}\n"
              "  tile: {tile_I: 8, tile_J: 1, tile_K: 192}\n"
              "  perm: KCRSPQN  # innermost first; only DOSA's branch takes it\n");
    TiledLayer convolution = layer(conv2d(64, 64, 56, 3));
    convolution.tile[Axis::q] = 7;
    EXPECT_NE(arguments_text("conv", convolution, 16)
                  .find("tile: {batches: 1, porows: 7, pocols: 56, pochs: 64, krows: 3, kcols: 3, kchs: 64}"),
              std::string::npos);
}

TEST(GemminisArguments, WhatItsLoopsCannotRunIsRefused) {
    TiledLayer product = layer(gemm(128, 3072, 768));
    product.tile[Axis::k] = 24;
    EXPECT_EQ(problem_with(product, 16), "tiled_matmul counts tiles in blocks of 16: a tile of 24 along K is none");
    Convolution oblong{.in_channels = 4, .out_channels = 4, .width = {.positions = 8}, .height = {.positions = 4}};
    EXPECT_EQ(problem_with(layer(convolution(oblong)), 16), "tiled_conv takes square images and kernels only");
}

}  // namespace
}  // namespace tilewright::silicon::gemmini::gemmini_test
