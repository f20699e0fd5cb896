#include "model/exact/costs.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tilewright::costs_test {
namespace {

Memory buffer_of_blocks(std::int64_t block_words) {
    Memory memory;
    memory.instances = 16;
    memory.mesh = {16, 1};
    memory.block_words = block_words;
    memory.energy.read_pj.value = 2.0;
    memory.energy.fill_pj.value = 3.0;
    memory.energy.update_pj.value = 5.0;
    return memory;
}

TEST(LinkEnergy, OfAMulticastMayBeEachTensorsOwn) {
    Link link;
    link.kind = NetworkKind::simple_multicast;
    link.tensor_multicast_energy_pj = {{"A", {{1, 0.5}, {2, 2.0}}}, {"Z", {{1, 3.0}}}};
    const LinkRates rates = rates_of(link, 0.0);
    EXPECT_FALSE(rates.is_free());
    const std::array<Deliveries, 1> pairs{Deliveries{2, 1, 10.0, 0.0}};
    const auto energy = [&](const char* tensor) {
        return link_cost(rates.for_tensor(tensor), LinkDirection::both, pairs, false, std::nullopt, 4.0).energy_pj;
    };
    EXPECT_DOUBLE_EQ(energy("A"), 2.0 * 10 * 4);
    EXPECT_DOUBLE_EQ(energy("Z"), 3.0 * 10 * 4) << "a single entry stands for all numbers of receivers";
    EXPECT_DOUBLE_EQ(energy("B"), 0.0) << "it is not charged";
    link.tensor_multicast_energy_pj = {{"A", {{1, 0.0}}}};
    EXPECT_TRUE(rates_of(link, 0.0).is_free());
}

TEST(MemoryEnergy, CountsWholeBlocksOfEveryInstance) {
    const Memory memory = buffer_of_blocks(4);
    const MemoryRates rates = rates_of(memory);
    const Rows rows = rows_of(memory, Tensor{});
    // ceil(9/4) reads, ceil(4/4) fills, ceil(1/4) updates, on 8 instances
    EXPECT_DOUBLE_EQ(access_energy_pj(rates, rows, {9, 4, 1}, 8, 8), (3 * 2.0 + 1 * 3.0 + 1 * 5.0) * 8);
}

// A row of 64 bits.
TEST(MemoryEnergy, ARowHoldsAsManyWordsAsHaveRoom) {
    const Memory memory = buffer_of_blocks(4);
    const auto rows_for = [&](std::int64_t bits) {
        Tensor tensor;
        tensor.bits = bits;
        return rows_of(memory, tensor);
    };
    EXPECT_EQ(vectors(17, rows_for(4)), 2) << "16 to a row";
    EXPECT_EQ(vectors(13, rows_for(5)), 2) << "12 to a row";
    EXPECT_EQ(vectors(12, rows_for(5)), 1);
    EXPECT_EQ(vectors(9, rows_for(16)), 3);
    EXPECT_EQ(vectors(9, rows_for(64)), 9);
    EXPECT_EQ(vectors(9, rows_for(65)), 18) << "a word takes two rows";
    EXPECT_EQ(vectors(3, rows_for(64 * 3)), 9);
}

TEST(MemoryEnergy, InstancesOfAClusterShareAnAccess) {
    Memory memory = buffer_of_blocks(1);
    memory.cluster_size = 8;  // two clusters
    const MemoryRates rates = rates_of(memory);
    EXPECT_DOUBLE_EQ(access_energy_pj(rates, Rows{}, {10, 0, 0}, 16, 16), 10 * 2.0 * 2);
    EXPECT_DOUBLE_EQ(access_energy_pj(rates, Rows{}, {10, 0, 0}, 2, 2), 10 * 2.0 * 2);
    EXPECT_DOUBLE_EQ(address_generators(rates, 16, 16), 2);
    EXPECT_DOUBLE_EQ(address_generators(rates, 1, 1), 1);
}

TEST(MemoryEnergy, IdleInstancesGenerateNoAddresses) {
    const MemoryRates rates = [] {
        Memory memory = buffer_of_blocks(1);
        memory.cluster_size = 1;
        return rates_of(memory);
    }();
    EXPECT_DOUBLE_EQ(address_generators(rates, 4, 3), 3) << "three of four work";
}

TEST(MemoryCycles, TheTightestBandwidthBinds) {
    Memory memory = buffer_of_blocks(1);
    memory.read_words_per_cycle = 2.0;
    memory.shared_words_per_cycle = 3.0;
    const MemoryRates rates = rates_of(memory);
    EXPECT_EQ(throttle(rates, demand_of({200, 50, 50}, 1.0, 100, 1.0)).bound, Bound::compute);

    const Throttle by_reads = throttle(rates, demand_of({500, 0, 0}, 1.0, 100, 1.0));
    EXPECT_EQ(by_reads.bound, Bound::read_bandwidth);
    EXPECT_EQ(throttled_cycles(100, by_reads.slowdown), 250);

    const Throttle by_both = throttle(rates, demand_of({200, 300, 100}, 1.0, 100, 1.0));
    EXPECT_EQ(by_both.bound, Bound::shared_bandwidth);
    EXPECT_EQ(throttled_cycles(100, by_both.slowdown), 200);

    EXPECT_EQ(throttle(rates, demand_of({500, 0, 0}, 1.0, 100, 0.25)).bound, Bound::compute) << "scaled consumption";
}

TEST(MemoryCycles, SumsOfQuotientsDoNotRoundUp) {
    Memory memory = buffer_of_blocks(1);
    memory.shared_words_per_cycle = 0.5;
    const MemoryRates rates = rates_of(memory);
    for (std::int64_t compute_cycles = 1; compute_cycles < 60; ++compute_cycles)
        for (std::int64_t words = compute_cycles; words < 120; ++words) {
            const Demand reads = demand_of({static_cast<double>(words - 1), 0, 0}, 1.0, compute_cycles, 1.0);
            const Demand updates = demand_of({0, 0, 1}, 1.0, compute_cycles, 1.0);
            const Throttle limit = throttle(rates, {reads.read, updates.write});
            EXPECT_EQ(throttled_cycles(compute_cycles, limit.slowdown), 2 * words) << compute_cycles;
        }
}

TEST(Leakage, AGateKeepsEverythingUnderItBusy) {
    Architecture machine;
    machine.memories = {buffer_of_blocks(1), buffer_of_blocks(1)};
    machine.memories[0].name = "gate";
    machine.memories[0].instances = 2;
    machine.memories[1].name = "gated";
    const std::array<double, 2> used{1.0, 3.0};
    EXPECT_DOUBLE_EQ(leaking_instances(machine, 1, used), 3.0);
    machine.memories[1].power_gated_at = "gate";
    EXPECT_DOUBLE_EQ(leaking_instances(machine, 1, used), 8.0);
}

TEST(Hops, AWordRunsAlongTheMiddleRowAndBranchesIntoColumns) {
    std::array<ColumnSpan, 4> columns;
    const Mesh grid{4, 3};                         // enters at x = 0, y = 1
    const std::array<std::int64_t, 1> corner{11};  // x = 3, y = 2
    EXPECT_DOUBLE_EQ(group_hops(corner, grid, columns), 3 + 1);
    const std::array<std::int64_t, 2> column{1, 9};  // x = 1, rows 0 and 2
    EXPECT_DOUBLE_EQ(group_hops(column, grid, columns), 1 + 1 + 1);
    const std::array<std::int64_t, 2> row{4, 7};  // the middle row
    EXPECT_DOUBLE_EQ(group_hops(row, grid, columns), 3);
}

TEST(MeshLink, OldValuesTravelBackWhenTheMemoryCannotReduce) {
    Link link;
    link.energy_per_hop_pj = 0.5;
    link.router_energy_pj = 1.0;
    const LinkRates rates = rates_of(link, 0.0);
    const std::array<Deliveries, 1> sums{{{.copies = 2, .groups = 1, .words = 10, .hops = 30}}};
    const LinkCost reduced = link_cost(rates, LinkDirection::both, sums, true, std::nullopt, 1);
    EXPECT_DOUBLE_EQ(reduced.words, 10);
    EXPECT_DOUBLE_EQ(reduced.spatial_reductions, 10);
    EXPECT_DOUBLE_EQ(reduced.energy_pj, 30 * 0.5 + 10 * (1 + 3) * 1.0);
    const LinkCost back = link_cost(rates, LinkDirection::both, sums, true, 4.0, 1);
    EXPECT_DOUBLE_EQ(back.words, 16) << "10 there, 10 - 4 back";
    EXPECT_DOUBLE_EQ(back.hops, 30);
}

TEST(MeshLink, WordsOfSeveralMulticastsKeepTheirHops) {
    Link link;
    link.energy_per_hop_pj = 1.0;
    const std::array<Deliveries, 2> sums{
        {{.copies = 1, .groups = 2, .words = 2, .hops = 3}, {.copies = 2, .groups = 1, .words = 1, .hops = 2}}};
    const LinkCost back = link_cost(rates_of(link, 0.0), LinkDirection::both, sums, true, 3.0, 1);
    EXPECT_DOUBLE_EQ(back.hops, 5) << "although all of them arrive for the first time";
    EXPECT_DOUBLE_EQ(back.energy_pj, 5);
}

TEST(MeshLink, AHopIsAsLongAsATileIsWide) {
    Link link;
    link.word_bits = 16;
    link.wire_energy_pj_per_bit_mm = 0.1;
    EXPECT_DOUBLE_EQ(rates_of(link, 250000.0).hop_pj, 16 * 0.5 * 0.1);
    link.tile_width_um = 100.0;
    EXPECT_DOUBLE_EQ(rates_of(link, 250000.0).hop_pj, 16 * 0.1 * 0.1);
    EXPECT_TRUE(rates_of(Link{}, 250000.0).is_free());
}

}  // namespace
}  // namespace tilewright::costs_test
