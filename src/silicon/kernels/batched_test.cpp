#include "silicon/kernels/implicit.hpp"

#include <gtest/gtest.h>

#include "workload/shapes.hpp"

namespace tilewright::silicon::batched_test {
namespace {

KernelMachine gpu() {
    KernelMachine machine;
    machine.operations_per_us = 1000.0;
    machine.memory_bytes_per_us = 1e12;  // never binds
    machine.multiprocessors = 10;
    machine.tiles = {{64, 64}};
    machine.calibration.launch_us = 3.0;
    return machine;
}

TEST(Batches, OfOneAreTheProduct) {
    const Product product{100, 300, 200, false};
    for (KernelMachine machine : {gpu(), KernelMachine{}}) {
        machine.operations_per_us = 1000.0;
        machine.memory_bytes_per_us = 50.0;
        const ProductLatency one = product_latency(product, machine);
        const ProductLatency batch = batch_latency({product, 1}, machine);
        EXPECT_DOUBLE_EQ(batch.us, one.us);
        EXPECT_EQ(batch.mapping, one.mapping);
    }
}

// A product of one block each: ten run side by side, the eleventh in a wave of its own.
TEST(Batches, ShareTheWaves) {
    const Product product{64, 64, 64, false};
    const double wave = 2.0 * 64 * 64 * 64 * 10 / 1000.0;
    EXPECT_NEAR(batch_latency({product, 10}, gpu()).us, 3.0 + wave, 1e-6);
    EXPECT_NEAR(batch_latency({product, 11}, gpu()).us, 3.0 + 2 * wave, 1e-6);
    EXPECT_EQ(batch_latency({product, 11}, gpu()).mapping.waves, 2);
}

TEST(Batches, MoveTheWordsOfEach) {
    KernelMachine machine = gpu();
    machine.operations_per_us = 1e12;
    machine.memory_bytes_per_us = 100.0;
    // Three matrices of 64 x 64 words of two bytes each.
    EXPECT_NEAR(batch_latency({{64, 64, 64, false}, 7}, machine).us, 3.0 + 7 * 3 * 64 * 64 * 2 / 100.0, 1e-6);
    machine.tiles.clear();  // a matrix unit
    EXPECT_NEAR(batch_latency({{64, 64, 64, false}, 7}, machine).us, 3.0 + 7 * 3 * 64 * 64 * 2 / 100.0, 1e-6);
}

TEST(Batches, AreReadFromLayersWithGroups) {
    EXPECT_EQ(batch_of(batched_matmul(5, 2, 3, 4)), (ProductBatch{{2, 4, 3, false}, 5}));
    EXPECT_EQ(batch_of(gemm(2, 3, 4)), (ProductBatch{{2, 4, 3, false}, 1}));
    EXPECT_FALSE(batch_of(conv2d(8, 8, 4, 3)));
    Einsum depthwise = batched_matmul(5, 2, 3, 4);
    depthwise.dimensions.push_back({"X", 2});
    EXPECT_FALSE(batch_of(depthwise));
}

}  // namespace
}  // namespace tilewright::silicon::batched_test
