#include "report/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/estimation/estimate.hpp"
#include "fixtures/report_sample.hpp"
#include "report/text.hpp"

namespace tilewright::report::summary_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The sample layer, waiting for Buffer, three times; and once bound by its units only.
Report two_bounds() {
    Report report = sample_report();
    report.network = "net";
    report.layers[0].repeats = 3;
    LayerResult other = report.layers[0];
    other.names = {"free"};
    other.repeats = 1;
    other.evaluation->bounding_memory = -1;
    report.layers.push_back(other);
    return report;
}

TEST(Summary, SaysWhatBoundsHowManyCyclesAndLayers) {
    const Summary all = summary(two_bounds());
    ASSERT_EQ(all.bounds.size(), 2U);
    EXPECT_EQ(all.bounds[0].memory, "Buffer");
    EXPECT_EQ(all.bounds[0].bound, LatencyBound::read_bandwidth);
    EXPECT_EQ(all.bounds[0].layers, 3);
    EXPECT_EQ(all.bounds[0].cycles, 48);
    EXPECT_DOUBLE_EQ(all.bounds[0].share, 0.75);
    EXPECT_EQ(all.bounds[1].memory, std::nullopt);
    EXPECT_DOUBLE_EQ(all.bounds[1].share, 0.25);
    EXPECT_EQ(all.memory_bound_layers, 3);
    EXPECT_DOUBLE_EQ(all.memory_bound_share, 0.75);
    EXPECT_DOUBLE_EQ(all.memory_bound_cycles_share, 0.75);
}

// A third of the cycles of these two layers are the vector unit's: it has no mapping, and no choice to prove.
TEST(Summary, AVectorUnitIsABoundOfItsOwn) {
    Report report = two_bounds();
    LayerResult softmax = report.layers[1];
    softmax.names = {"softmax"};
    softmax.mapping.reset();
    softmax.on_vector_unit = true;
    report.layers.push_back(softmax);
    report.layers[0].repeats = 1;
    SearchSummary proven;
    proven.proven = true;
    proven.claim = "proven optimal";
    report.layers[0].search = report.layers[1].search = proven;
    const Summary all = summary(report);
    ASSERT_EQ(all.bounds.size(), 3U);
    EXPECT_EQ(all.bounds[2].bound, LatencyBound::vector_unit);
    EXPECT_EQ(all.memory_bound_layers, 1);
    const std::string text = summary_text(report);
    EXPECT_THAT(text, HasSubstr("compute units 33.3 %, vector unit 33.3 %; 1 of 3 layers (33.3 %) wait for memories"));
    EXPECT_THAT(text, HasSubstr("  2 of 2 shapes proven optimal\n  1 shape runs on the vector unit, without a "
                                "choice of mappings\n"));
    EXPECT_THAT(text, HasSubstr("%  vector unit\n"));
    EXPECT_THAT(text, HasSubstr("\n  vector unit "));  // its operations, in the table of energies
}

TEST(Summary, LayersWithoutAMappingCountForNothing) {
    Report report = two_bounds();
    report.layers[1].evaluation.reset();
    const Summary all = summary(report);
    ASSERT_EQ(all.bounds.size(), 1U);
    EXPECT_DOUBLE_EQ(all.memory_bound_share, 1.0);
    report.layers[0].evaluation.reset();
    EXPECT_TRUE(summary(report).bounds.empty());
    EXPECT_EQ(summary(report).memory_bound_share, 0.0);
    EXPECT_FALSE(summary(report).spilled);
}

// Of 16 bits: A 32 words read, O 28 read and 32 written, a run; B has the role of weights, under any name.
TEST(Summary, WeightsAreNoActivations) {
    Report report = sample_report();
    const SpilledActivations spilled = summary(report).spilled.value();
    EXPECT_EQ(spilled.memory, "DRAM");
    EXPECT_DOUBLE_EQ(spilled.bytes, 2.0 * (32 + 28 + 32));
    EXPECT_DOUBLE_EQ(spilled.once_bytes, 2.0 * (32 + 4));
    EXPECT_DOUBLE_EQ(spilled.energy_pj, 4096.0 + 7680.0);
    report.layers[0].einsum.tensors[0].bits = 4;  // a quarter of the bytes, the same energy
    EXPECT_DOUBLE_EQ(summary(report).spilled->bytes, 0.5 * 32 + 2.0 * (28 + 32));
}

TEST(Summary, IsInTheTextOfANetworkInALineEach) {
    const std::string text = summary_text(two_bounds());
    EXPECT_THAT(text, HasSubstr("  bound by: Buffer read bandwidth 75.0 % of the cycles, compute units 25.0 %; 3 of 4 "
                                "layers (75.0 %) wait for memories\n"));
    EXPECT_THAT(text, HasSubstr("  activations through DRAM: 736.0 B and 47.10 nJ (90.6 % of the energy); each tensor "
                                "once: 288.0 B\n"));
    EXPECT_THAT(text, HasSubstr("  machine: 4 compute units, 1.000 GHz, technology not given, area not known\n"));
    Report report = two_bounds();
    report.architecture.technology = "45nm";
    report.architecture.clock_assumed = true;
    report.architecture.memories[1].area_um2.value = 2e5;
    EXPECT_THAT(summary_text(report), HasSubstr("4 compute units, 1.000 GHz (assumed), 45nm, 0.2000 mm2"));
}

// 3.45 ns in a cycle of 0.83 ns: the latency is misleading without this.
TEST(Summary, AnAccessLongerThanACycleStandsBesideTheLatency) {
    Architecture machine = sample_report().architecture;
    machine.cycle_seconds = 1e-11;
    machine.technology = "45nm";
    machine.memories[1].geometry.kind = "SRAM";
    for (Memory& memory : machine.memories) memory.energy = {};
    Report report = two_bounds();
    for (const std::string& note : estimate(machine))
        if (is_slow_access(note)) report.notes.push_back(note);
    ASSERT_EQ(report.notes.size(), 1U);
    report.notes.push_back("something else");
    const std::string text = summary_text(report);
    EXPECT_THAT(text, HasSubstr(", one layer after another\n  but Buffer: one access takes "));
    EXPECT_THAT(text, Not(HasSubstr("note: Buffer")));
    EXPECT_THAT(text, HasSubstr("note: something else"));
    report.layers.resize(1);
    EXPECT_THAT(summary_text(report), HasSubstr("\n  but Buffer: one access takes "));
}

TEST(Summary, WhatIfComparesWithTheMachineAsItIs) {
    Report report = sample_report();
    EXPECT_EQ(what_if_text(report), "");
    report.what_if = {{"the machine as it is", false, 100.0, 10, ""},
                      {"twice the bandwidth of DRAM", false, 100.0, 5, ""},
                      {"twice the capacity of Buffer", true, {}, {}, "no mapping of fc"}};
    const std::string text = summary_text(report);
    EXPECT_THAT(text, HasSubstr("the machine as it is              10         100.0 pJ        as found\n"));
    EXPECT_THAT(text, HasSubstr("twice the bandwidth of DRAM        5  -50 %  100.0 pJ  same  as found\n"));
    EXPECT_THAT(text, HasSubstr("twice the capacity of Buffer       -                -        no mapping of fc\n"));
    EXPECT_THAT(text, Not(HasSubstr("searched again")));
    EXPECT_THAT(text, HasSubstr("layer by layer; "));
    EXPECT_THAT(text, HasSubstr("with `map --fuse` a larger buffer"));
}

}  // namespace
}  // namespace tilewright::report::summary_test
