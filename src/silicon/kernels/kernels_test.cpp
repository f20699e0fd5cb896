// Layers on a machine of kernels, against independent numbers and exhaustive mapping.
#include <gtest/gtest.h>

#include <random>

#include "base/numbers/checked.hpp"
#include "mapping/validity.hpp"
#include "silicon/kernels/attention.hpp"
#include "silicon/kernels/machine.hpp"
#include "silicon/kernels/product.hpp"
#include "workload/shapes.hpp"

namespace tilewright::silicon::kernels_test {
namespace {

std::vector<Tile> wide_tiles() {
    std::vector<Tile> tiles;
    for (const std::int64_t rows : {16, 32, 64, 96, 128, 160, 192, 224, 256})
        for (const std::int64_t columns : {64, 96, 128, 160, 192, 224, 256})
            if (rows * columns <= 32768) tiles.push_back({rows, columns});
    return tiles;
}

// An H100 with numbers calibrated to six digits.
KernelMachine h100() {
    KernelMachine machine;
    machine.operations_per_us = 989.4e6;
    machine.memory_bytes_per_us = 3.35e6;
    machine.clock_per_us = 1830.0;
    machine.multiprocessors = 132;
    machine.inlet_bytes_per_us = 64.0 * 1830.0;
    machine.cache_bytes = 50e6;
    machine.exponentials_per_us = 16.0 * 1830.0;
    machine.plain_rate_share = 0.62;
    machine.tiles = wide_tiles();
    machine.splits = {1, 2, 4, 8, 16};
    machine.calibration = {2.07666, -1.0, 0.861562, 0.785733, 4.577406e6};
    return machine;
}

struct Known {
    Product product;
    double us;
    BlockMapping mapping;
};

TEST(Products, HaveTheTimesAndTilesWorkedOutElsewhere) {
    const Known known[] = {{{1, 4096, 4096}, 13.775, {{16, 64}, 1, 64, 1}},
                           {{256, 1024, 4096}, 8.960, {{32, 64}, 1, 128, 1}},
                           {{512, 14336, 4096}, 84.186, {{128, 224}, 1, 256, 2}},
                           {{300, 128256, 4096}, 494.204, {{64, 256}, 1, 2505, 19}},
                           {{1500, 4096, 14336}, 241.601, {{64, 256}, 1, 384, 3}}};
    for (const Known& one : known) {
        const ProductLatency found = product_latency(one.product, h100());
        EXPECT_NEAR(found.us, one.us, 0.001);
        EXPECT_EQ(found.mapping.tile, one.mapping.tile);
        EXPECT_EQ(found.mapping.split, one.mapping.split);
        EXPECT_EQ(found.mapping.waves, one.mapping.waves);
    }
}

TEST(Products, NoMappingIsBetterThanTheAnswer) {
    std::mt19937_64 random(1);
    const KernelMachine machine = h100();
    std::int64_t compared = 0;
    for (int i = 0; i < 300; ++i) {
        const Product product{static_cast<std::int64_t>(random() % 4096 + 1),
                              static_cast<std::int64_t>(random() % 8192 + 1),
                              static_cast<std::int64_t>(random() % 8192 + 1)};
        const ProductLatency found = product_latency(product, machine);
        const std::vector<BlockMapping> all = block_mappings(product, machine);
        EXPECT_EQ(found.compared, static_cast<std::int64_t>(all.size()));
        for (const BlockMapping& mapping : all) {
            ++compared;
            EXPECT_GE(latency_of(product, mapping, machine).us, found.us);
            EXPECT_GE(mapping.waves * machine.multiprocessors, mapping.blocks);
        }
        EXPECT_GE(found.us, roofline_us(product, machine));
    }
    EXPECT_GE(compared, 15000);
}

// For most of 2,000 random blocks the machine has a kernel; its own blocks give the answer found.
TEST(Products, NoBlocksOfAnySizeAreFasterThanTheAnswer) {
    std::mt19937_64 random(2);
    const auto upto = [&](std::int64_t most) { return static_cast<std::int64_t>(random() % most) + 1; };
    KernelMachine machine = h100();
    int run = 0;
    for (int i = 0; i < 100; ++i) {
        if (i == 50) machine.tiles = {{256, 128}, {128, 256}, {128, 128}, {64, 64}};
        const Product product{upto(2048), upto(8192), upto(8192)};
        const ProductLatency found = product_latency(product, machine);
        EXPECT_DOUBLE_EQ(latency_of_blocks(product, found.mapping, machine)->us, found.us);
        for (int j = 0; j < 20; ++j) {
            BlockMapping blocks{{std::min(upto(300), product.rows), std::min(upto(300), product.columns)}};
            blocks.split = std::int64_t{1} << (random() % 4);
            blocks.blocks = ceil_div(product.rows, blocks.tile.rows) * ceil_div(product.columns, blocks.tile.columns) *
                            blocks.split;
            blocks.waves = ceil_div(blocks.blocks, machine.multiprocessors);
            const auto latency = latency_of_blocks(product, blocks, machine);
            if (!latency) continue;
            EXPECT_GE(latency->us, found.us);
            ++run;
        }
    }
    EXPECT_GT(run, 600);
    EXPECT_FALSE(latency_of_blocks({512, 512, 512}, {{300, 300}, 1, 4, 1}, machine));  // no tile is as large
    EXPECT_FALSE(latency_of_blocks({512, 512, 512}, {{64, 64}, 3, 192, 2}, machine));  // nor is a reduction split by 3
}

TEST(Products, OneTileInsteadOfAllIsWorse) {
    KernelMachine machine = h100();
    const Product product{64, 1024, 4096};
    const double best = product_latency(product, machine).us;
    machine.tiles = {{256, 128}};
    EXPECT_GT(product_latency(product, machine).us, 1.3 * best);
}

TEST(Products, AMatrixUnitPadsAndResidentWeightsComeFromTheCache) {
    KernelMachine machine;
    machine.operations_per_us = 1e6;
    machine.memory_bytes_per_us = 1e3;
    machine.unit_rows = 8;
    machine.unit_columns = machine.unit_depth = 256;
    machine.calibration.cache_bytes_per_us = 1e4;
    const ProductLatency padded = product_latency({1, 256, 256}, machine);
    EXPECT_DOUBLE_EQ(padded.block_us, 2.0 * 8 * 256 * 256 / 1e6);
    EXPECT_DOUBLE_EQ(padded.memory_us, 2.0 * (256 + 256 * 256 + 256) / 1e3);
    EXPECT_DOUBLE_EQ(product_latency({1, 256, 256, true}, machine).memory_us, 2.0 * 256 * 256 / 1e4);
}

TEST(Products, AreFoundInEinsums) {
    EXPECT_EQ(product_of(gemm(8, 16, 32)), (Product{8, 32, 16, false}));
    EXPECT_EQ(product_of(conv2d(16, 32, 4, 1)), (Product{16, 32, 16, false}));
    EXPECT_EQ(product_of(conv2d(16, 32, 4, 3)), std::nullopt);
    EXPECT_EQ(product_of(depthwise(16, 4, 1)), std::nullopt);
}

Stream stream(double ideal, std::int64_t kernels, double bytes) {
    Stream stream;
    stream.ideal_bytes = ideal;
    stream.kernels = kernels;
    stream.bytes = bytes;
    return stream;
}

TEST(Streams, TakeALaunchAKernelAndWhatTheCacheDoesNotHold) {
    // Eight kernels of a norm over 1024 tokens of 4096, and two of an activation over 14336.
    EXPECT_NEAR(stream_us(stream(4.0 * 4096 * 1024, 8, 36.0 * 4096 * 1024), h100()), 49.60, 0.01);
    EXPECT_NEAR(stream_us(stream(6.0 * 14336 * 1024, 2, 10.0 * 14336 * 1024), h100()), 48.62, 0.01);
    KernelMachine plain = h100();
    plain.calibration = {};
    EXPECT_DOUBLE_EQ(stream_us(stream(3.35e6, 2, 2 * 3.35e6), plain), 2.0);
    EXPECT_DOUBLE_EQ(fused_us(stream(3.35e6, 2, 2 * 3.35e6), plain), 1.0);
}

TEST(Attentions, OfAMaskedSquareTakeWhatWasWorkedOutElsewhere) {
    const Attention attention{
        .chunk = 2048, .heads = 32, .head_width = 128, .key_heads = 8, .kind = AttentionKind::masked};
    EXPECT_NEAR(attention_us(attention, h100()), 189.07, 0.01);
    EXPECT_LT(ideal_attention_us(attention, h100()), 60.0);
}

Architecture gpu() {
    Architecture result;
    result.memories.resize(3);
    const char* names[] = {"DRAM", "shared_memory", "accumulators"};
    for (int i = 0; i < 3; ++i) result.memories[i].name = names[i];
    for (int i = 1; i < 3; ++i) {
        result.memories[i].instances = 132;
        result.memories[i].mesh = {132, 1};
    }
    result.memories[1].capacity_words = 114 * 1024;
    result.memories[2].capacity_words = 32768;
    result.compute.instances = 132 * 2048;
    result.compute.mesh = {132 * 2048, 1};
    return result;
}

TEST(Nests, GiveTheTilesBackAndAreLegal) {
    const Architecture architecture = gpu();
    KernelMachine machine = h100();
    machine.unit_level = 1;
    std::mt19937_64 random(3);
    int legal = 0;
    for (int i = 0; i < 200; ++i) {
        const Einsum einsum =
            gemm(static_cast<std::int64_t>(random() % 2048 + 1), static_cast<std::int64_t>(random() % 64 + 1) * 64,
                 static_cast<std::int64_t>(random() % 8192 + 1));
        TensorSet operands = TensorSet::all(3);
        operands.remove(find_tensor(einsum, "Outputs"));
        const std::vector<TensorSet> keep{TensorSet::all(3), operands, TensorSet::of(find_tensor(einsum, "Outputs"))};
        const ProductLatency best = product_latency(*product_of(einsum), machine);
        const auto mapping = mapping_of(best.mapping, einsum, architecture, keep, machine);
        if (!mapping) continue;
        EXPECT_TRUE(check(einsum, architecture, *mapping).empty()) << einsum.name;
        const auto again = std::get<BlockMapping>(blocks_of(einsum, architecture, *mapping, machine));
        EXPECT_EQ(again.tile.rows, std::min(best.mapping.tile.rows, product_of(einsum)->rows));
        EXPECT_EQ(again.tile.columns, std::min(best.mapping.tile.columns, product_of(einsum)->columns));
        EXPECT_EQ(again.split, best.mapping.split);
        EXPECT_EQ(again.waves, best.mapping.waves);
        ++legal;
    }
    EXPECT_GE(legal, 150);
}

TEST(Overlap, IsTheLongerOneAndALittleMoreWhereTheyAreEqual) {
    EXPECT_DOUBLE_EQ(overlapped(5.0, 0.0, 4.0), 5.0);
    EXPECT_NEAR(overlapped(5.0, 5.0, 4.0), 5.0 * 1.189207115, 1e-6);
    EXPECT_EQ(overlapped(0.0, 0.0, 4.0), 0.0);
}

}  // namespace
}  // namespace tilewright::silicon::kernels_test
