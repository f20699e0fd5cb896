// The search against every tile in every order, and its nests against their tiles.
#include "silicon/systolic/search.hpp"

#include <gtest/gtest.h>

#include <random>

#include "mapping/validity.hpp"
#include "silicon/systolic/machine.hpp"
#include "workload/shapes.hpp"

namespace tilewright::silicon::search_test {
namespace {

SystolicMachine machine() {
    SystolicMachine machine;
    machine.array.rows = machine.array.columns = machine.array.block_rows = 4;
    machine.array.preload_cycles = 4.0;
    machine.array.latency_cycles = 12.0;
    machine.array.in_flight = 4;
    machine.array.columns_level = 1;
    machine.array.rows_level = 2;
    machine.dma = {.request_bytes = 8, .request_cycles = 2.0, .store_bytes = 4, .product_store_bytes = 8};
    machine.caches = {{"near", 256, 8, false, 3.0, 6.0}, {"far", 1024, 16, true, 9.0, 20.0}};
    machine.tiles_in_flight = 2;
    return machine;
}

TiledLayer layer(const Einsum& einsum) { return std::get<TiledLayer>(whole_layer(einsum)); }

// Every size of every tile, in every order, without bounds.
double best_of_all(const TiledLayer& layer, const Fits& fits) {
    double best = 1e300;
    TiledLayer tiled = layer;
    const auto channels = [](std::int64_t size, std::int64_t whole) { return size % 4 == 0 || size == whole; };
    for (tiled.tile[Axis::c] = 1; tiled.tile[Axis::c] <= layer.whole[Axis::c]; ++tiled.tile[Axis::c])
        for (tiled.tile[Axis::k] = 1; tiled.tile[Axis::k] <= layer.whole[Axis::k]; ++tiled.tile[Axis::k])
            for (tiled.tile[Axis::p] = 1; tiled.tile[Axis::p] <= layer.whole[Axis::p]; ++tiled.tile[Axis::p])
                for (tiled.tile[Axis::q] = 1; tiled.tile[Axis::q] <= layer.whole[Axis::q]; ++tiled.tile[Axis::q])
                    for (tiled.tile[Axis::r] = 1; tiled.tile[Axis::r] <= layer.whole[Axis::r]; ++tiled.tile[Axis::r])
                        for (tiled.tile[Axis::s] = 1; tiled.tile[Axis::s] <= layer.whole[Axis::s];
                             ++tiled.tile[Axis::s]) {
                            if (!channels(tiled.tile[Axis::c], layer.whole[Axis::c]) ||
                                !channels(tiled.tile[Axis::k], layer.whole[Axis::k]) || !fits(tiled.tile))
                                continue;
                            const auto smallest = [&](Axis axis) {  // for as many tiles
                                const std::int64_t tiles =
                                    (layer.whole[axis] + tiled.tile[axis] - 1) / tiled.tile[axis];
                                return tiled.tile[axis] == (layer.whole[axis] + tiles - 1) / tiles;
                            };
                            if (!smallest(Axis::p) || !smallest(Axis::q) || !smallest(Axis::r) || !smallest(Axis::s))
                                continue;
                            for (const std::vector<Axis>& order : orders_of(tiled)) {
                                tiled.order = order;
                                best = std::min(best, systolic_latency(tiled, machine()).cycles);
                            }
                        }
    return best;
}

TEST(BestTiling, IsThatOfEveryTileInEveryOrder) {
    std::mt19937_64 random(1);
    const Room room{4, 60, 24};
    int compared = 0;
    for (int i = 0; i < 24; ++i) {
        const auto below = [&](std::int64_t limit) { return static_cast<std::int64_t>(random() % limit) + 1; };
        const TiledLayer whole = layer(conv2d(below(9), below(9), below(6) + 1, below(3), below(2)));
        const Fits fit = [&](const AxisExtents& tile) { return fits(whole, tile, room); };
        const auto best = best_tiling(whole, machine(), fit);
        if (whole.is_product || !best) continue;
        ++compared;
        EXPECT_TRUE(best->proven);
        EXPECT_LE(best->compared, best->tiles * 144);
        EXPECT_NEAR(best->latency.cycles, best_of_all(whole, fit), 1e-6);
    }
    EXPECT_GE(compared, 15);
}

TEST(BestTiling, SumsAreFinishedBeforeTheNextBegins) {
    TiledLayer whole = layer(conv2d(8, 8, 4, 3));
    whole.tile = AxisExtents();
    for (const std::vector<Axis>& order : orders_of(whole)) {
        ASSERT_EQ(order.size(), 6U);
        for (int i = 0; i < 3; ++i) EXPECT_TRUE(order[i] == Axis::c || order[i] == Axis::r || order[i] == Axis::s);
    }
    EXPECT_EQ(orders_of(whole).size(), 36U);
}

TEST(BestTiling, WhenStoppedNothingIsProven) {
    StopSource stop;
    stop.request();
    const TiledLayer whole = layer(conv2d(8, 8, 4, 3));
    const Fits all = [](const AxisExtents&) { return true; };
    const auto stopped = best_tiling(whole, machine(), all, &stop);
    EXPECT_TRUE(!stopped || !stopped->proven);
}

Architecture small_architecture() {
    Architecture result;
    result.memories.resize(4);
    const char* names[] = {"DRAM", "scratchpad", "accumulator", "registers"};
    for (int i = 0; i < 4; ++i) result.memories[i].name = names[i];
    result.memories[1].capacity_words = 240;
    result.memories[2].capacity_words = 24;
    result.memories[2].instances = 4;
    result.memories[2].mesh = {4, 1};
    result.memories[3].instances = result.compute.instances = 16;
    result.memories[3].mesh = result.compute.mesh = {4, 4};
    return result;
}

TEST(Nests, GiveTheTilesBackAndAreLegal) {
    const Architecture architecture = small_architecture();
    ASSERT_EQ(problem_with(architecture), "");
    int compared = 0;
    for (const Einsum& einsum : {conv2d(8, 12, 6, 3), conv2d(3, 8, 7, 1, 2), gemm(20, 16, 24), conv2d(5, 7, 5, 2)}) {
        const TensorSet weights = TensorSet::of(find_tensor(einsum, "Weights"));
        TensorSet operands = weights;
        operands.add(find_tensor(einsum, "Inputs"));
        const std::vector<TensorSet> keep{TensorSet::all(3), operands, TensorSet::of(find_tensor(einsum, "Outputs")),
                                          weights};
        const auto room = room_of(einsum, architecture, keep, machine());
        ASSERT_TRUE(room);
        EXPECT_EQ(room->scratchpad_rows, 60);
        EXPECT_EQ(room->accumulator_rows, 24);
        const TiledLayer whole = layer(einsum);
        const auto best =
            best_tiling(whole, machine(), [&](const AxisExtents& tile) { return fits(whole, tile, *room); });
        ASSERT_TRUE(best);
        const auto mapping = mapping_of(best->layer, einsum, architecture, keep, machine());
        ASSERT_TRUE(mapping) << einsum.name;
        EXPECT_TRUE(check(einsum, architecture, *mapping).empty()) << einsum.name;
        const auto again = std::get<TiledLayer>(tiled_layer(einsum, architecture, *mapping));
        EXPECT_EQ(again.tile, best->layer.tile) << einsum.name;
        EXPECT_DOUBLE_EQ(systolic_latency(again, machine()).cycles, best->latency.cycles) << einsum.name;
        ++compared;
    }
    EXPECT_EQ(compared, 4);
}

}  // namespace
}  // namespace tilewright::silicon::search_test
