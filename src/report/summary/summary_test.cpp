#include "report/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample.hpp"
#include "report/text.hpp"

namespace tilewright::report::summary_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The sample layer, which waits for Buffer, three times; and once as if nothing bound it but its units.
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
    EXPECT_EQ(all.bounds[0].bound, Bound::read_bandwidth);
    EXPECT_EQ(all.bounds[0].layers, 3);
    EXPECT_EQ(all.bounds[0].cycles, 48);
    EXPECT_DOUBLE_EQ(all.bounds[0].share, 0.75);
    EXPECT_EQ(all.bounds[1].memory, std::nullopt);
    EXPECT_DOUBLE_EQ(all.bounds[1].share, 0.25);
    EXPECT_EQ(all.memory_bound_layers, 3);
    EXPECT_DOUBLE_EQ(all.memory_bound_share, 0.75);
    EXPECT_DOUBLE_EQ(all.memory_bound_cycles_share, 0.75);
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

// Of 16 bits: A 32 words read, O 28 read and 32 written, a run; B is called Weights here.
TEST(Summary, WeightsAreNoActivations) {
    Report report = sample_report();
    const double with_b = 2.0 * (32 + 8 + 28 + 32);
    EXPECT_DOUBLE_EQ(summary(report).spilled->bytes, with_b);
    report.layers[0].einsum.tensors[1].name = "Weights";
    const SpilledActivations spilled = summary(report).spilled.value();
    EXPECT_EQ(spilled.memory, "DRAM");
    EXPECT_DOUBLE_EQ(spilled.bytes, with_b - 2.0 * 8);
    EXPECT_DOUBLE_EQ(spilled.once_bytes, 2.0 * (32 + 4));
    EXPECT_DOUBLE_EQ(spilled.energy_pj, 4096.0 + 7680.0);
    report.layers[0].einsum.tensors[0].bits = 4;  // a quarter of the bytes, the same energy as it was counted
    EXPECT_DOUBLE_EQ(summary(report).spilled->bytes, 0.5 * 32 + 2.0 * (28 + 32));
}

TEST(Summary, IsInTheTextOfANetworkInALineEach) {
    const std::string text = summary_text(two_bounds());
    EXPECT_THAT(text, HasSubstr("  bound by: Buffer read bandwidth 75.0 % of the cycles, compute units 25.0 %; 3 of 4 "
                                "layers (75.0 %) wait for memories\n"));
    EXPECT_THAT(text, HasSubstr("  activations through DRAM: 800.0 B and 51.20 nJ (98.5 % of the energy); each tensor "
                                "once: 352.0 B\n"));
    EXPECT_THAT(text, HasSubstr("  machine: 4 compute units, 1.000 GHz, technology not given, area not known\n"));
    Report report = two_bounds();
    report.architecture.technology = "45nm";
    report.architecture.clock_assumed = true;
    report.architecture.memories[1].area_um2.value = 2e5;
    EXPECT_THAT(summary_text(report), HasSubstr("4 compute units, 1.000 GHz (assumed), 45nm, 0.2000 mm2"));
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
}

}  // namespace
}  // namespace tilewright::report::summary_test
