#include "zigzag/values/accelerator.hpp"

#include <gtest/gtest.h>

#include "fixtures/zigzag_sample.hpp"

namespace tilewright::zigzag::values_accelerator_test {
namespace {

using enum MemoryOperand;
using sample::array_of;
using sample::memory;

TEST(ZigzagAccelerator, OperandsClimbTheirOwnChains) {
    const Accelerator accelerator = array_of(4, 4);
    EXPECT_EQ(accelerator.levels_of(i1), (std::vector<int>{0, 3, 4}));
    EXPECT_EQ(accelerator.levels_of(i2), (std::vector<int>{1, 4}));
    EXPECT_EQ(accelerator.memories[4].level_of(i2), 1);
    EXPECT_EQ(accelerator.memories[3].level_of(i2), -1);
}

TEST(ZigzagAccelerator, MemoriesAreFilledGenerationByGeneration) {
    Accelerator accelerator = array_of(4, 4);
    // A second level for weights alone is listed last but one; it becomes free with the first register.
    accelerator.memories.insert(accelerator.memories.begin() + 4, memory("weights", 4096, 64, {i2}, {0, 1}));
    derive(accelerator);
    EXPECT_EQ(accelerator.allocation_order, (std::vector<int>{0, 1, 2, 4, 3, 5}));
}

TEST(ZigzagAccelerator, TheLastPortThatListsADirectionServesIt) {
    Accelerator accelerator = array_of(4, 4);
    accelerator.memories[0].ports.push_back({"second", "read", 8, 8, {{i1, Direction::read_down}}});
    derive(accelerator);
    EXPECT_EQ(accelerator.memories[0].port_for(i1, Direction::read_down)->name, "second");
    EXPECT_EQ(accelerator.memories[0].served_by[0].size(), 3U);
    EXPECT_EQ(accelerator.memories[0].served_by[1].size(), 1U);
}

TEST(ZigzagAccelerator, ALayerNeedsItsMemoriesAndPorts) {
    const Layer layer = sample::convolution({1, 8, 4, 6, 6, 3, 3});
    Accelerator accelerator = array_of(4, 4);
    EXPECT_EQ(problem_with(accelerator, layer), "");
    accelerator.memories[3].ports[0].uses.pop_back();
    accelerator.memories[3].ports[0].uses.pop_back();
    derive(accelerator);
    EXPECT_EQ(problem_with(accelerator, layer), "memory 'buffer' has no port for 'O, th'");
}

}  // namespace
}  // namespace tilewright::zigzag::values_accelerator_test
