#include "zigzag/accounting/allocation.hpp"

#include <gmock/gmock.h>

#include "base/numbers/random.hpp"
#include "fixtures/zigzag_sample.hpp"
#include "zigzag/accounting/nest.hpp"

namespace tilewright::zigzag::allocation_test {
namespace {

using namespace sample;

class Allocation : public ::testing::Test {
   protected:
    // Loops kept by each operand at each of its memories.
    std::vector<std::vector<std::size_t>> loops_kept(const std::vector<TemporalLoop>& nest,
                                                     Evenness evenness = Evenness::uneven) {
        derive(machine);
        const auto result = allocate(machine, layer, spatial(), nest, evenness);
        std::vector<std::vector<std::size_t>> kept;
        for (const auto& levels : std::get<UnevenMapping>(result).operands) {
            kept.emplace_back();
            for (const LevelLoops& level : levels) kept.back().push_back(level.size());
        }
        return kept;
    }

    SpatialMapping spatial() const { return spatial_mapping(machine, layer, {}, UnrollRounding::fractional); }

    std::string shortage(const std::vector<TemporalLoop>& nest) {
        derive(machine);
        return text_of(std::get<Shortage>(allocate(machine, layer, spatial(), nest, Evenness::uneven)), machine, layer);
    }

    using Kept = std::vector<std::vector<std::size_t>>;
    Layer layer = convolution({1, 4, 4, 1, 4, 1, 1});
    Accelerator machine = array_of(1, 1);
    const std::vector<TemporalLoop> order{{C, 2}, {C, 2}, {K, 2}, {K, 2}, {OX, 2}, {OX, 2}};
};

TEST_F(Allocation, EveryOperandTakesWhatSavesAccessesAbove) {
    // Registers: 8 results of 16 bits (one OX loop remains), all 16 weights, 8 inputs. The buffer takes the rest.
    EXPECT_EQ(loops_kept(order), (Kept{{5, 1, 0}, {6, 0}, {5, 1, 0}}));
}

TEST_F(Allocation, PartialSumsAreWiderThanResults) {
    // With the reduction inside, four results of 16 bits fill 64 bits ...
    machine.memories[2].size_bits = 64;
    EXPECT_EQ(loops_kept(order)[0], (std::vector<std::size_t>{4, 2, 0}));
    // ... without a reduction, eight final ones of 8 bits do.
    layer = convolution({1, 4, 1, 1, 4, 1, 1});
    EXPECT_EQ(loops_kept({{K, 2}, {K, 2}, {OX, 2}, {OX, 2}})[0], (std::vector<std::size_t>{3, 1, 0}));
}

TEST_F(Allocation, OfEquallyGoodCutsTheOuterOneIsTaken) {
    // Each loop of K doubles the weights and halves the refills: all cuts cost the same.
    machine.memories[1].size_bits = 16;
    EXPECT_EQ(loops_kept({{K, 2}, {K, 2}, {C, 2}, {C, 2}, {OX, 2}, {OX, 2}})[1], (std::vector<std::size_t>{1, 5}));
}

TEST_F(Allocation, EvenMappingsCutSharedMemoriesAtOneLoop) {
    machine.memories[3].size_bits = 200;  // enough for all inputs or all results, not for both
    const Kept uneven = loops_kept(order);
    const Kept even = loops_kept(order, Evenness::even);
    EXPECT_NE(uneven[0][0] + uneven[0][1], uneven[2][0] + uneven[2][1]);
    EXPECT_EQ(even[0][0] + even[0][1], even[2][0] + even[2][1]);
}

TEST_F(Allocation, SaysWhichMemoryLacksHowMuch) {
    machine.memories[2].size_bits = 8;
    EXPECT_EQ(shortage(order), "memory 'rf_o' lacks 8 bits: operand O needs 16, there are 8");
    machine.memories[2].size_bits = 16;
    machine.memories[3].size_bits = 70;
    EXPECT_EQ(shortage(order),
              "memory 'buffer' lacks 2 bits: the smallest tiles of its operands together need 72, there are 70");
}

TEST_F(Allocation, TheLastMemoryHasToHoldEverything) {
    machine.memories[4].size_bits = 100;
    EXPECT_EQ(shortage(order), "memory 'dram' lacks 28 bits: operand I needs 128, there are 100");
}

}  // namespace
}  // namespace tilewright::zigzag::allocation_test
