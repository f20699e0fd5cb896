// The systolic machine against counting by hand, against a walk over every tile, and within physical limits.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "silicon/systolic/latency.hpp"
#include "silicon/systolic/traffic.hpp"
#include "workload/shapes.hpp"

namespace tilewright::silicon::systolic_test {
namespace {

SystolicMachine small_machine() {
    SystolicMachine machine;
    machine.array.rows = machine.array.columns = machine.array.block_rows = 4;
    machine.array.preload_cycles = 4.0;
    machine.array.latency_cycles = 6.0;
    machine.dma = {.request_bytes = 8, .request_cycles = 2.0, .store_bytes = 4, .product_store_bytes = 8};
    return machine;
}

TiledLayer product(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
    TiledLayer layer = std::get<TiledLayer>(whole_layer(gemm(rows, depth, columns)));
    layer.columns = padded_window(rows, 1, 1);
    return layer;
}

TEST(SystolicLatency, OneTileIsLoadedComputedAndStored) {
    const SystolicLatency latency = systolic_latency(product(4, 4, 8), small_machine());
    // Load: 4 rows of 8 bytes and 8 of 4, at 2 cycles. Two weight blocks of 4 rows, one in flight: each holds its place
    // for 6 + 4 cycles. Four writes.
    EXPECT_DOUBLE_EQ(latency.mean.load, 24.0);
    EXPECT_DOUBLE_EQ(latency.mean.compute, 20.0);
    EXPECT_DOUBLE_EQ(latency.mean.store, 8.0);
    EXPECT_DOUBLE_EQ(latency.cycles, 52.0);
}

TEST(SystolicLatency, WithTwoTilesInFlightTheLongestStageDecides) {
    SystolicMachine machine = small_machine();
    TiledLayer layer = product(16, 4, 8);
    layer.tile[Axis::p] = 4;
    EXPECT_DOUBLE_EQ(systolic_latency(layer, machine).cycles, 4 * 52.0);
    machine.tiles_in_flight = 2;
    EXPECT_DOUBLE_EQ(systolic_latency(layer, machine).cycles, 4 * 26.0 + 26.0);  // half of 52 is more than any stage
    machine.tiles_in_flight = 3;
    EXPECT_DOUBLE_EQ(systolic_latency(layer, machine).cycles, 4 * 24.0 + 28.0);
    EXPECT_EQ(systolic_latency(layer, machine).bound, "load");
}

TEST(SystolicLatency, PlacesInFlightHideTheLatencyAndThePreloadHidesBehindABlock) {
    SystolicMachine machine = small_machine();
    machine.array.in_flight = 4;
    EXPECT_DOUBLE_EQ(systolic_latency(product(4, 4, 8), machine).mean.compute, 2 * 4.0);
    machine.array.preload_behind = false;
    EXPECT_DOUBLE_EQ(systolic_latency(product(4, 4, 8), machine).mean.compute, 2 * (4.0 + 4.0));
    machine.array.preload_behind = true;
    EXPECT_DOUBLE_EQ(systolic_latency(product(2, 4, 8), machine).mean.compute, 2 * 4.0);  // two rows wait for weights
}

TEST(Caches, WhatFitsIsWarmAndWhatDoesNotIsSwept) {
    EXPECT_EQ(share_kept(1.0, false), 1.0);
    EXPECT_EQ(share_kept(1.01, false), 0.0);
    EXPECT_NEAR(share_kept(2.0, true), 0.2031878, 1e-6);  // h = exp(-2 (1 - h))
    const SystolicMachine machine = small_machine();
    const Cache large{"large", 1 << 20, 8, false, 0.0, 0.0};
    const Cache none{"none", 8, 8, false, 0.0, 0.0};
    TiledLayer layer = product(16, 4, 8);
    layer.tile[Axis::p] = 4;
    EXPECT_EQ(cache_misses(layer, machine, large).weights, 0.0);
    EXPECT_DOUBLE_EQ(cache_misses(layer, machine, none).weights, 4 * 8.0 * 4.0 / 8.0);  // again for each tile
    EXPECT_DOUBLE_EQ(cache_misses(layer, machine, none).inputs, 16.0 * 8.0 / 8.0);
}

TEST(Requests, RowsThatDoNotBeginAtABoundaryCrossOne) {
    EXPECT_DOUBLE_EQ(requests_per_piece(64, 64), 1.0);
    EXPECT_DOUBLE_EQ(requests_per_piece(720, 64), 1.75);
    EXPECT_DOUBLE_EQ(requests_per_piece(1000, 64), 1.875);
    EXPECT_DOUBLE_EQ(requests_per_piece(2, 64), 1.0);
}

// --- a walk over every tile, pixel by pixel ---

struct Walked {
    double input_pixels = 0.0;
    double weights = 0.0;
    double writes = 0.0;
    double rows = 0.0;  ///< of computations, over all weight blocks
};

std::int64_t steps(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

struct Box {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

Box box(std::int64_t step, std::int64_t tile, std::int64_t extent) {
    return {step * tile, std::min(extent, (step + 1) * tile)};
}

// Pixels inside the image in the window of these outputs and kernel positions. Everything between two outputs is
// fetched, also behind the last one up to the start of the next.
std::int64_t pixels(const Window& window, const Box& outputs, const Box& kernel) {
    std::int64_t count = 0;
    const std::int64_t first = outputs.begin * window.stride + kernel.begin - window.padding;
    const std::int64_t last = outputs.end * window.stride + kernel.end - 1 - window.padding;
    for (std::int64_t pixel = first; pixel < last; ++pixel) count += pixel >= 0 && pixel < window.image;
    return count;
}

Walked walked(const TiledLayer& layer, const SystolicMachine& machine) {
    const AxisExtents& whole = layer.whole;
    const AxisExtents& tile = layer.tile;
    const auto at = [&](Axis axis, std::int64_t step, std::int64_t extent) { return box(step, tile[axis], extent); };
    Walked sum;
    for (std::int64_t c = 0; c < steps(whole[Axis::c], tile[Axis::c]); ++c)
        for (std::int64_t k = 0; k < steps(whole[Axis::k], tile[Axis::k]); ++k)
            for (std::int64_t q = 0; q < steps(layer.rows.outputs, tile[Axis::q]); ++q)
                for (std::int64_t p = 0; p < steps(layer.columns.outputs, tile[Axis::p]); ++p)
                    for (std::int64_t s = 0; s < steps(whole[Axis::s], tile[Axis::s]); ++s)
                        for (std::int64_t r = 0; r < steps(whole[Axis::r], tile[Axis::r]); ++r) {
                            const Box out_q = at(Axis::q, q, layer.rows.outputs);
                            const Box out_p = at(Axis::p, p, layer.columns.outputs);
                            const Box in_s = at(Axis::s, s, whole[Axis::s]);
                            const Box in_r = at(Axis::r, r, whole[Axis::r]);
                            const Box in_c = at(Axis::c, c, whole[Axis::c]);
                            const Box out_k = at(Axis::k, k, whole[Axis::k]);
                            const std::int64_t kernel = (in_s.end - in_s.begin) * (in_r.end - in_r.begin);
                            const std::int64_t outputs = (out_q.end - out_q.begin) * (out_p.end - out_p.begin);
                            const std::int64_t channels = in_c.end - in_c.begin;
                            sum.input_pixels += static_cast<double>(pixels(layer.rows, out_q, in_s) *
                                                                    pixels(layer.columns, out_p, in_r) *
                                                                    steps(channels, machine.dma.request_bytes));
                            sum.weights += static_cast<double>(
                                kernel * channels * steps(out_k.end - out_k.begin, machine.dma.request_bytes));
                            sum.rows += static_cast<double>(kernel * outputs * steps(channels, machine.array.rows) *
                                                            steps(out_k.end - out_k.begin, machine.array.columns));
                            const bool last =
                                in_s.end == whole[Axis::s] && in_r.end == whole[Axis::r] && in_c.end == whole[Axis::c];
                            if (last)
                                sum.writes += static_cast<double>(
                                    outputs * steps(out_k.end - out_k.begin, machine.dma.store_bytes));
                        }
    return sum;
}

class RandomLayers {
   public:
    explicit RandomLayers(std::uint64_t seed) : random_(seed) {}

    TiledLayer layer() {
        const std::int64_t kernel = below(3) + 1;
        const std::int64_t stride = below(2) + 1;
        const std::int64_t size = below(9) + 2;
        TiledLayer layer =
            std::get<TiledLayer>(whole_layer(conv2d(below(20) + 1, below(20) + 1, size, kernel, stride)));
        for (int i = 0; i < kAxes; ++i) {
            const auto axis = static_cast<Axis>(i);
            layer.tile[axis] = below(layer.whole[axis]) + 1;
        }
        return layer;
    }

   private:
    std::int64_t below(std::int64_t limit) { return static_cast<std::int64_t>(random_() % limit); }
    std::mt19937_64 random_;
};

TEST(Demands, AreThoseOfAWalkOverEveryTile) {
    const SystolicMachine machine = small_machine();
    RandomLayers random(1);
    int compared = 0;
    for (int i = 0; i < 500; ++i) {
        const TiledLayer layer = random.layer();
        if (layer.is_product) continue;
        ++compared;
        const Walked expected = walked(layer, machine);
        Walked found;
        for (const TileDemand& tile : demands_of(layer, machine)) {
            found.input_pixels += tile.count * tile.input_requests;
            found.weights += tile.count * tile.weight_requests;
            found.writes += tile.count * tile.writes;
            for (const Pieces& piece : tile.pieces)
                found.rows += tile.count * tile.weight_blocks * piece.count * static_cast<double>(piece.rows);
        }
        EXPECT_EQ(found.input_pixels, expected.input_pixels);
        EXPECT_EQ(found.weights, expected.weights);
        EXPECT_EQ(found.writes, expected.writes);
        EXPECT_EQ(found.rows, expected.rows);
    }
    EXPECT_GE(compared, 400);
}

// Lower limits: the array's rate, the engine's request rate, and one stage of all tiles in sequence; upper limit: all
// three stages of every tile in sequence.
TEST(SystolicLatency, StaysWithinWhatPhysicsAllows) {
    SystolicMachine machine = small_machine();
    machine.array.in_flight = 8;
    machine.tiles_in_flight = 2;
    machine.caches = {{"near", 64, 8, false, 1.0, 2.0}, {"far", 512, 16, true, 3.0, 9.0}};
    RandomLayers random(2);
    for (int i = 0; i < 500; ++i) {
        const TiledLayer layer = random.layer();
        const SystolicLatency latency = systolic_latency(layer, machine);
        const AxisExtents& whole = layer.whole;
        const double products = static_cast<double>(whole[Axis::c] * whole[Axis::k] * whole[Axis::p] * whole[Axis::q] *
                                                    whole[Axis::r] * whole[Axis::s]);
        EXPECT_GE(latency.cycles * static_cast<double>(machine.array.rows * machine.array.columns), products);
        for (const double stage : {latency.mean.load, latency.mean.compute, latency.mean.store})
            EXPECT_GE(latency.cycles, latency.tiles * stage * (1.0 - 1e-12));
        EXPECT_LE(latency.cycles, latency.tiles * latency.mean.sum() * (1.0 + 1e-12));
    }
}

// Engines, places and every tile in turn: never below the closed form's bounds, and close to it. With equal tiles and
// one dominant stage, equal to the cycle.
TEST(Replay, JudgesTheClosedForm) {
    SystolicMachine machine = small_machine();
    machine.array.in_flight = 8;
    machine.tiles_in_flight = 2;
    machine.start_cycles = 100.0;
    TiledLayer equal = product(64, 4, 8);
    equal.tile[Axis::p] = 4;
    machine.array.in_flight = 1;
    equal.order = {Axis::p};
    machine.tiles_in_flight = 3;
    EXPECT_DOUBLE_EQ(replay(equal, machine).cycles, systolic_latency(equal, machine).cycles);
    machine.tiles_in_flight = 1;
    EXPECT_DOUBLE_EQ(replay(equal, machine).cycles, systolic_latency(equal, machine).cycles);
    machine.tiles_in_flight = 2;
    machine.array.in_flight = 8;
    machine.caches = {{"near", 64, 8, false, 1.0, 2.0}, {"far", 512, 16, true, 3.0, 9.0}};
    RandomLayers random(4);
    double sum = 0.0;
    int compared = 0;
    for (int i = 0; i < 200; ++i) {
        const TiledLayer layer = random.layer();
        const SystolicLatency form = systolic_latency(layer, machine);
        const Replayed walked = replay(layer, machine);
        ++compared;
        EXPECT_DOUBLE_EQ(walked.tiles, form.tiles);
        EXPECT_NEAR(walked.load_busy, form.mean.load * form.tiles, 1e-6 * form.cycles);
        EXPECT_NEAR(walked.compute_busy, form.mean.compute * form.tiles, 1e-6 * form.cycles);
        EXPECT_NEAR(walked.store_busy, form.mean.store * form.tiles, 1e-6 * form.cycles);
        EXPECT_GE(walked.cycles - machine.start_cycles,
                  std::max({walked.load_busy, walked.compute_busy, walked.store_busy}) * (1.0 - 1e-12));
        sum += std::abs(walked.cycles / form.cycles - 1.0);
    }
    EXPECT_GE(compared, 200);
    EXPECT_LT(sum / compared, 0.05);
}

TEST(TiledLayers, AreRecognisedByWhatDimensionsDo) {
    const auto strided = std::get<TiledLayer>(whole_layer(conv2d(3, 64, 112, 7, 2)));
    EXPECT_EQ(strided.whole[Axis::c], 3);
    EXPECT_EQ(strided.whole[Axis::r], 7);
    EXPECT_EQ(strided.columns, (Window{2, 3, 224, 112}));
    EXPECT_FALSE(strided.is_product);
    const auto rows = std::get<TiledLayer>(whole_layer(gemm(128, 64, 32)));
    EXPECT_TRUE(rows.is_product);
    EXPECT_EQ(rows.whole[Axis::p], 128);
    EXPECT_EQ(rows.whole[Axis::c], 64);
    EXPECT_EQ(rows.whole[Axis::k], 32);
}

TEST(TiledLayers, OthersAreRefusedInWords) {
    const auto refusal = [](const Einsum& einsum) { return std::get<std::string>(whole_layer(einsum)); };
    EXPECT_EQ(refusal(depthwise(32, 14, 3)), "dimension G is neither of channels nor of images");
    EXPECT_EQ(
        refusal(convolution({.in_channels = 4, .out_channels = 4, .width = {8, 3, 1, 2}, .height = {8, 3, 1, 2}})),
        "its kernel is dilated");
}

TEST(TiledLayers, TilesAreWhatLiesInsideTheOutermostMemory) {
    Architecture machine;
    machine.memories.resize(2);
    const Einsum einsum = conv2d(8, 12, 6, 3);
    const auto dimension = [&](const char* name) { return find_dimension(einsum, name); };
    Mapping mapping;
    const TensorSet all = TensorSet::all(3);
    mapping.nodes = {Store{0, all},
                     Loop{dimension("K"), 3, 3},
                     Loop{dimension("C"), 2, 2},
                     Loop{dimension("P"), 2, 2, LoopKind::spatial_x},
                     Store{1, all},
                     Loop{dimension("K"), 4, 4},
                     Loop{dimension("C"), 4, 4},
                     Loop{dimension("P"), 3, 3},
                     Loop{dimension("Q"), 6, 6},
                     Loop{dimension("R"), 3, 3},
                     Loop{dimension("S"), 3, 3}};
    const auto layer = std::get<TiledLayer>(tiled_layer(einsum, machine, mapping));
    EXPECT_EQ(layer.tile[Axis::k], 4);
    EXPECT_EQ(layer.tile[Axis::c], 4);
    EXPECT_EQ(layer.tile[Axis::p], 6);  // the spatial part lies in one tile
    EXPECT_EQ(layer.order, (std::vector<Axis>{Axis::c, Axis::k}));
}

}  // namespace
}  // namespace tilewright::silicon::systolic_test
