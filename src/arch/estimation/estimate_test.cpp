#include "arch/estimation/estimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::estimate_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// DRAM, a 128 KiB buffer of 64-bit rows and 16-bit words, and 4 x 4 units, at 65 nm.
Architecture machine() {
    Architecture architecture;
    architecture.name = "test";
    architecture.technology = "65nm";
    Memory dram;
    dram.name = "DRAM";
    dram.component_class = "DRAM";
    dram.is_dram = true;
    dram.block_words = 4;
    dram.geometry.dram_type = "LPDDR4";
    Memory buffer;
    buffer.name = "buffer";
    buffer.component_class = "SRAM";
    buffer.block_words = 4;
    buffer.capacity_words = 65536;
    buffer.geometry.kind = "SRAM";
    buffer.geometry.depth = 16384;
    buffer.geometry.width_bits = 64;
    buffer.geometry.banks = 16;
    architecture.memories = {dram, buffer};
    architecture.compute.instances = 16;
    architecture.compute.mesh = {4, 4};
    architecture.cycle_seconds = 2e-9;
    return architecture;
}

TEST(Estimate, FillsEveryNumberAndNamesItsSource) {
    Architecture architecture = machine();
    const std::vector<std::string> notes = estimate(architecture);
    const MemoryEnergy& dram = architecture.memories[0].energy;
    EXPECT_DOUBLE_EQ(dram.read_pj.value, 64 * 8.0);
    EXPECT_EQ(dram.read_pj.source, "LPDDR4, 8 pJ/bit, Accelergy's CACTI plug-in");
    const Memory& buffer = architecture.memories[1];
    EXPECT_DOUBLE_EQ(buffer.energy.read_pj.value, 50.5302);  // the table's own row: 65 nm, 131072 B, 64 bit, 16 banks
    EXPECT_NEAR(buffer.energy.fill_pj.value, 54.0977, 1e-9);
    EXPECT_NEAR(buffer.energy.update_pj.value, 54.0977, 1e-9);
    EXPECT_NEAR(buffer.energy.leak_pj_per_cycle.value, 0.03237504 * 2.0, 1e-12);  // mW * 2 ns
    EXPECT_NEAR(buffer.area_um2.value, 982868, 1e-6);
    EXPECT_EQ(buffer.energy.leak_pj_per_cycle.source,
              "CACTI 7 table, 65 nm, 128 KiB, 64 bit, 16 banks, 1 port (tabulated)");
    EXPECT_THAT(architecture.compute.energy_pj.source, HasSubstr("16-bit multiply"));
    EXPECT_THAT(architecture.compute.leak_pj_per_cycle.source, HasSubstr("Aladdin"));
    EXPECT_GT(buffer.link.wire_energy_pj_per_bit_mm.value_or(0), 0.0);
    EXPECT_THAT(buffer.link.energy_source, HasSubstr("Keckler"));
    EXPECT_THAT(notes, ElementsAre("wires at 65 nm are outside their table (10 to 40 nm): extrapolated"));
}

TEST(Estimate, LeavesGivenNumbersAlone) {
    Architecture architecture = machine();
    MemoryEnergy& energy = architecture.memories[1].energy;
    energy.read_pj = energy.fill_pj = energy.update_pj = {17.0, "given in arch.yaml:30"};
    architecture.compute.energy_pj = {2.0, "given in arch.yaml:40"};
    estimate(architecture);
    EXPECT_EQ(energy.read_pj, (Sourced{17.0, "given in arch.yaml:30"}));
    EXPECT_EQ(architecture.compute.energy_pj, (Sourced{2.0, "given in arch.yaml:40"}));
    EXPECT_EQ(energy.leak_pj_per_cycle, (Sourced{0.0, "no leakage beside given energies"}));
    EXPECT_EQ(architecture.compute.leak_pj_per_cycle.value, 0.0);
    EXPECT_GT(architecture.memories[1].area_um2.value, 0.0);
    EXPECT_FALSE(architecture.memories[1].link.wire_energy_pj_per_bit_mm);
}

TEST(Estimate, IsDoneOnce) {
    Architecture architecture = machine();
    estimate(architecture);
    const Architecture before = architecture;
    estimate(architecture);
    estimate(architecture, Estimator::timeloop_pat);
    EXPECT_EQ(architecture, before);
}

TEST(Estimate, SaysWhichTechnologyItAssumed) {
    Architecture architecture = machine();
    architecture.technology = "";
    EXPECT_THAT(estimate(architecture), testing::Contains("no technology is given: 45 nm is assumed"));
    Architecture other = machine();
    other.memories[1].geometry.technology = "tsmc";
    EXPECT_THAT(estimate(other),
                testing::Contains("buffer: technology 'tsmc' is not a number of nanometres: 45 nm is assumed"));
}

TEST(Estimate, SaysWhichDramItAssumed) {
    Architecture architecture = machine();
    architecture.memories[0].geometry.dram_type = "DDR17";
    EXPECT_THAT(
        estimate(architecture),
        testing::Contains("DRAM: DRAM type 'DDR17' is not in the table (LPDDR4, LPDDR, "
                          "DDR3, GDDR5, HBM2, DDR4, DDR2, HBM3, HBM3E, LPDDR5, LPDDR5X, DDR5 and GDDR6): LPDDR4 "
                          "is assumed"));
    architecture = machine();
    architecture.memories[0].geometry.dram_type = "";
    EXPECT_THAT(estimate(architecture), testing::Contains("DRAM: no DRAM type is given: LPDDR4 is assumed"));
}

TEST(Estimate, WhatStoresNothingCostsNothing) {
    Architecture architecture = machine();
    Memory spread;
    spread.name = "PE";
    spread.spreads_only = true;
    architecture.memories.push_back(spread);
    estimate(architecture);
    const Memory& pe = architecture.memories[2];
    EXPECT_EQ(pe.energy.read_pj, (Sourced{0.0, "no storage"}));
    EXPECT_EQ(pe.area_um2, (Sourced{0.0, "no storage"}));
}

TEST(Estimate, WiresOfAFanoutBelongToTheMemoryAroundIt) {
    Architecture architecture = machine();
    Memory spread;
    spread.name = "PE";
    spread.spreads_only = true;
    architecture.memories.push_back(spread);
    Architecture given = architecture;
    given.memories[1].energy.read_pj = {17.0, "given"};
    estimate(architecture);
    estimate(given);
    EXPECT_FALSE(architecture.memories[0].link.wire_energy_pj_per_bit_mm);
    EXPECT_TRUE(architecture.memories[2].link.wire_energy_pj_per_bit_mm);
    EXPECT_FALSE(given.memories[2].link.wire_energy_pj_per_bit_mm);
}

TEST(Estimate, AGivenDramNeedsNoType) {
    Architecture architecture = machine();
    Memory& dram = architecture.memories[0];
    dram.geometry.dram_type = "";
    dram.energy.read_pj = dram.energy.fill_pj = dram.energy.update_pj = {6400.0, "given"};
    EXPECT_THAT(estimate(architecture), Not(testing::Contains(HasSubstr("DRAM"))));
    EXPECT_EQ(dram.area_um2, (Sourced{0.0, "off chip"}));
}

TEST(Estimate, ACostOfUnlimitedMemoryIsNotInvented) {
    Architecture architecture = machine();
    architecture.memories[1].capacity_words.reset();
    architecture.memories[1].geometry.depth = 0;
    EXPECT_THAT(
        estimate(architecture),
        testing::Contains("buffer: its capacity is unlimited, so its energy cannot be estimated and counts as 0"));
}

TEST(Estimate, ClusteredInstancesShareOneArray) {
    Architecture architecture = machine();
    Memory& buffer = architecture.memories[1];
    Architecture shared = architecture;
    shared.memories[1].cluster_size = 4;
    estimate(architecture);
    estimate(shared);
    EXPECT_EQ(shared.memories[1].energy.read_pj, buffer.energy.read_pj);
    EXPECT_DOUBLE_EQ(shared.memories[1].area_um2.value, buffer.area_um2.value / 4);
    EXPECT_DOUBLE_EQ(shared.memories[1].energy.leak_pj_per_cycle.value, buffer.energy.leak_pj_per_cycle.value / 4);
}

TEST(Estimate, WarnsOfAMemorySlowerThanTheClock) {
    Architecture architecture = machine();
    architecture.cycle_seconds = 1e-9;
    EXPECT_THAT(estimate(architecture), testing::Contains(HasSubstr("buffer: one access takes 1.317 ns")));
}

TEST(Estimate, SurvivesAbsurdSizes) {
    Architecture architecture = machine();
    Memory& buffer = architecture.memories[1];
    buffer.capacity_words = INT64_MAX;
    buffer.word_bits = buffer.block_words = buffer.cluster_size = INT64_MAX / 2;
    buffer.geometry = {};
    estimate(architecture);
    EXPECT_TRUE(std::isfinite(buffer.energy.read_pj.value));
}

// timeloop-model's numbers for CoSA's Simba (vector access energies, source "PAT").
TEST(TimeloopPat, IsTheStraightLineThatTimeloopUses) {
    Architecture architecture = machine();
    Memory& buffer = architecture.memories[1];
    const auto energy_of = [&](std::int64_t entries, std::int64_t word_bits, std::int64_t block, std::int64_t cluster) {
        buffer.capacity_words = entries;
        buffer.word_bits = word_bits;
        buffer.block_words = block;
        buffer.cluster_size = cluster;
        Architecture copy = architecture;
        EXPECT_THAT(estimate(copy, Estimator::timeloop_pat), IsEmpty());
        return copy.memories[1].energy.read_pj.value;
    };
    EXPECT_NEAR(energy_of(1, 8, 1, 64), 0.4890075376884422, 1e-15);
    EXPECT_NEAR(energy_of(64, 24, 1, 8), 1.5753768844221105, 1e-14);
    EXPECT_NEAR(energy_of(16384, 8, 8, 1), 7.115577889447236, 1e-14);
    EXPECT_EQ(energy_of(0, 16, 1, 1), 0.0);
}

TEST(TimeloopPat, CountsDramAndMultiplications) {
    Architecture architecture = machine();
    architecture.compute.word_bits = 8;
    estimate(architecture, Estimator::timeloop_pat);
    EXPECT_DOUBLE_EQ(architecture.memories[0].energy.update_pj.value, 200.0 * 4);
    EXPECT_DOUBLE_EQ(architecture.compute.energy_pj.value, 0.25);
    EXPECT_EQ(architecture.memories[1].energy.leak_pj_per_cycle.value, 0.0);
    EXPECT_EQ(architecture.memories[1].area_um2.value, 0.0);
    EXPECT_FALSE(architecture.memories[1].link.wire_energy_pj_per_bit_mm);
}

// Timeloop: an ERT overrides action by action; the others keep the fallback.
TEST(TimeloopPat, FillsOnlyTheActionsThatAreMissing) {
    Architecture architecture = machine();
    MemoryEnergy& energy = architecture.memories[1].energy;
    energy.read_pj = {3.0, "ERT"};
    estimate(architecture, Estimator::timeloop_pat);
    EXPECT_EQ(energy.read_pj, (Sourced{3.0, "ERT"}));
    EXPECT_GT(energy.fill_pj.value, 3.0);
    EXPECT_EQ(energy.fill_pj, energy.update_pj);
}

}  // namespace
}  // namespace tilewright::estimate_test
