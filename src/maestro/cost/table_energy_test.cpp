#include "maestro/cost/table_energy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/estimation/estimate.hpp"

namespace tilewright::dataflow::table_energy_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// One unit over a filter of 2 x 2 and an image of 3 x 3: four outputs, sixteen operations.
LayerCost small_cost(const Hardware& hardware) {
    Layer layer;
    layer.extents[Axis::K] = layer.extents[Axis::C] = 1;
    layer.extents[Axis::R] = layer.extents[Axis::S] = 2;
    layer.extents[Axis::Y] = layer.extents[Axis::X] = 3;
    Directive rows;
    rows.kind = DirectiveKind::temporal;
    rows.size = Size::number(2);
    rows.offset = Size::number(1);
    rows.axis = Axis::Y;
    return cost_of(layer, {"", {rows}}, {}, hardware);
}

Sourced given(double pj) { return {pj, "given"}; }

Memory memory_of(const char* name, double read_pj, double write_pj, std::int64_t block_words) {
    Memory memory;
    memory.name = name;
    memory.word_bits = 8;
    memory.block_words = block_words;
    memory.energy = {given(read_pj), given(write_pj), given(write_pj), given(0.0)};
    return memory;
}

TEST(TableEnergy, IsAccessesTimesPrices) {
    Hardware hardware;
    hardware.sum_bytes = 2;
    const LayerCost cost = small_cost(hardware);
    ASSERT_TRUE(cost.counts);
    EXPECT_EQ(cost.accesses.operations, 16.0);
    EXPECT_EQ(cost.accesses.dram_reads, (Moved{9.0 + 4.0, 0.0}));
    EXPECT_EQ(cost.accesses.dram_writes, (Moved{0.0, 4.0}));

    Architecture machine;
    machine.memories = {memory_of("DRAM", 64.0, 64.0, 1), memory_of("L2", 8.0, 16.0, 4), memory_of("L1", 1.0, 2.0, 1)};
    machine.memories[0].is_dram = true;
    machine.compute.energy_pj = given(0.5);
    const TableEnergy energy = table_energy(cost.accesses, hardware, byte_prices(machine));
    EXPECT_EQ(energy.operations_pj, 8.0);
    EXPECT_EQ(energy.dram_pj, 64.0 * (13.0 + 2.0 * 4.0));
    // A row of L2 has four bytes; results have two bytes each.
    EXPECT_EQ(energy.l2_pj, 8.0 / 4 * (cost.accesses.l2_reads.operands + 2.0 * 4.0) +
                                16.0 / 4 * (13.0 + 2.0 * cost.accesses.l2_writes.sums));
    EXPECT_EQ(energy.l1_pj, 1.0 * (32.0 + 2.0 * 16.0) + 2.0 * (cost.accesses.l1_writes.operands + 2.0 * 16.0));
    EXPECT_EQ(energy.total_pj(), energy.operations_pj + energy.l1_pj + energy.l2_pj + energy.dram_pj);
}

TEST(TableEnergy, OfADescribedMachineComesFromTables) {
    Hardware hardware;
    hardware.units = 4;
    hardware.l2_bytes = 1 << 20;
    Architecture machine = described_machine(hardware, 2048, 1, "28nm");
    (void)estimate(machine);
    const BytePrices prices = byte_prices(machine);
    EXPECT_THAT(prices.sources, ElementsAre(HasSubstr("Horowitz"), AllOf(HasSubstr("L1"), HasSubstr("28 nm")),
                                            AllOf(HasSubstr("CACTI"), HasSubstr("1 MiB")), HasSubstr("LPDDR4")));
    EXPECT_GT(prices.l2_read_pj, prices.l1_read_pj);
    EXPECT_GT(prices.dram_read_pj, prices.l2_read_pj);
}

TEST(TableEnergy, SaysWhereAMemoryIsMissing) {
    Architecture machine;
    machine.memories = {memory_of("L2", 8.0, 16.0, 4)};
    const BytePrices prices = byte_prices(machine);
    EXPECT_EQ(prices.dram_read_pj, 0.0);
    EXPECT_EQ(prices.l1_read_pj, prices.l2_read_pj);
    EXPECT_THAT(prices.sources.back(), HasSubstr("none, counts as 0"));
}

}  // namespace
}  // namespace tilewright::dataflow::table_energy_test
