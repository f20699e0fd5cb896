#include "certificate/common/stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mapping/tiling_point.hpp"
#include "workload/einsum_text.hpp"

namespace tilewright::certificate::stages_test {
namespace {

constexpr std::uint32_t kAll = 0b111;
constexpr std::uint32_t kA = 0b001;
constexpr std::uint32_t kB = 0b010;

Memory memory(std::string name) {
    Memory memory;
    memory.name = std::move(name);
    return memory;
}

/// DRAM, which keeps all three tensors, and two memories inside.
class StagesOf : public testing::Test {
   protected:
    StagesOf() : einsum_(parse_einsum("O[m] += A[m,k] * B[k]", {{"m", 4}, {"k", 6}})) {
        machine_.memories = {memory("DRAM"), memory("Buffer"), memory("Registers")};
    }

    std::vector<Stage> stages(Storage storage, std::uint32_t buffer, std::uint32_t registers, int spread_below = -1) {
        TilingPoint assignment(3, 2);
        assignment[0].keep = TensorSet::from_bits(kAll);
        assignment[1].keep = TensorSet::from_bits(buffer);
        assignment[2].keep = TensorSet::from_bits(registers);
        if (spread_below >= 0) assignment[spread_below].spread(0, 2, 1);
        return stages_of(Charges(Ground(einsum_, machine_), assignment), storage);
    }

    Einsum einsum_;
    Architecture machine_;
};

TEST_F(StagesOf, EvenMappingsAreAChain) {
    const std::vector<Stage> chain = stages(Storage::even, kAll, kA);
    ASSERT_EQ(chain.size(), 4U);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(chain[i].owner, 2 - i);
        EXPECT_EQ(chain[i].crossed, 2 - i);
        EXPECT_EQ(chain[i].reached[0], 3 - i);
        EXPECT_EQ(chain[i].begun, 0U);
        ASSERT_EQ(chain[i].next.size(), 1U);
        EXPECT_EQ(chain[i].next.front().memory, 2 - i);
        EXPECT_EQ(chain[i].next.front().to, i + 1);
    }
    EXPECT_EQ(chain.back().owner, -1);
    EXPECT_TRUE(chain.back().next.empty());
}

// A before or after B, in either memory: pairs of their positions.
TEST_F(StagesOf, UnevenTensorsGoTheirOwnWays) {
    const std::vector<Stage> all = stages(Storage::uneven, kA | kB, kA | kB);
    EXPECT_EQ(all.size(), 3U * 3U + 1U);
    const Stage& first = all.front();
    ASSERT_EQ(first.next.size(), 2U);
    const Stage& begun = all[first.next.front().to];
    EXPECT_EQ(begun.begun, 0b100U) << "one of two is in the registers";
    EXPECT_EQ(begun.owner, 1) << "loops outside a store of the registers belong to the buffer";
}

// Both stores of the registers have to be inside, those of the buffer outside.
TEST_F(StagesOf, AFanOutLiesBetweenNoStoresOfAMemory) {
    const std::vector<Stage> all = stages(Storage::uneven, kA | kB, kA | kB, 1);
    EXPECT_EQ(all.size(), 4U + 3U + 1U);
    for (const Stage& stage : all) {
        const bool registers_are_whole = (stage.whole >> 2 & 1U) != 0;
        EXPECT_EQ(stage.crossed <= 1, registers_are_whole);
        if (!registers_are_whole) {
            for (const Storing& storing : stage.next) EXPECT_EQ(storing.memory, 2);
        }
    }
}

// B bypasses the registers: it stands at their first store.
TEST_F(StagesOf, ATensorThatPassesByStandsAtTheFirstStore) {
    const std::vector<Stage> all = stages(Storage::uneven, kAll, kA);
    const auto& in_registers = all.front().next;
    const auto store = std::find_if(in_registers.begin(), in_registers.end(),
                                    [](const Storing& storing) { return storing.memory == 2; });
    ASSERT_NE(store, in_registers.end());
    EXPECT_EQ(all.front().reached[1], 3);
    EXPECT_EQ(all[store->to].reached[1], 2);
}

}  // namespace
}  // namespace tilewright::certificate::stages_test
