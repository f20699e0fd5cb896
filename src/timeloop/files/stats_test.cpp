#include "timeloop/files/stats.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace tilewright::timeloop::stats_test {
namespace {

using ::testing::HasSubstr;

const std::string kStats = R"(Buffer and Arithmetic Levels
Level 0
=== mac ===

    SPECS
    -----
    Energy-per-op        : 2.20 pJ

    STATS
    -----
    Cycles               : 96
    Energy (total)       : 12.50 pJ

Level 1
=== DRAM ===
    SPECS
        Vector access energy : 512.00 pJ
    STATS
    -----
    Cycles               : 96
    Outputs:
        Scalar reads (per-instance)              : 7
        Scalar updates (per-instance)            : 8
        Scalar fills (per-instance)              : 9
        Energy (per-instance)                    : 1.00 pJ
        Energy (total)                           : 2.50 pJ
    Inputs:
        Scalar reads (per-instance)              : 3

Networks
--------
=== DRAM <==> mac ===
    STATS
    Inputs:
        Energy (total)                           : 99.00 pJ

Summary Stats
-------------
Utilization: 0.19
Cycles: 96
Energy: 674.62 uJ
)";

TEST(TimeloopStats, LevelsTensorsAndTheSummary) {
    const account::PrintedStats stats = read_stats(kStats, "stats.txt");
    ASSERT_EQ(stats.levels.size(), 2U) << "networks are no levels";
    EXPECT_EQ(stats.levels[0].name, "mac");
    EXPECT_EQ(stats.levels[0].energy_pj, 12.5);
    const account::PrintedLevel& dram = stats.levels[1];
    ASSERT_EQ(dram.tensors.size(), 2U);
    EXPECT_EQ(dram.tensors[0].name, "Outputs");
    EXPECT_EQ(dram.tensors[0].reads, 7.0);
    EXPECT_EQ(dram.tensors[0].updates, 8.0);
    EXPECT_EQ(dram.tensors[0].fills, 9.0);
    EXPECT_EQ(dram.tensors[0].energy_pj, 2.5) << "of all instances";
    EXPECT_EQ(dram.tensors[1].fills, std::nullopt);
    EXPECT_EQ(stats.cycles, 96.0);
    EXPECT_EQ(stats.energy_uj, 674.62);
}

TEST(TimeloopStats, WhatIsNoOutputIsSaid) {
    const auto message = [](const std::string& text) -> std::string {
        try {
            read_stats(text, "stats.txt");
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(message("architecture: {}\n"), HasSubstr("this is no output of Timeloop"));
    EXPECT_THAT(message(""), HasSubstr("this is no output of Timeloop"));
    std::string broken = kStats;
    broken.replace(broken.find(": 7\n"), 4, ": x\n");
    EXPECT_THAT(message(broken), HasSubstr("stats.txt:22:1: error: 'Scalar reads (per-instance)' is no number: 'x'"));
}

}  // namespace
}  // namespace tilewright::timeloop::stats_test
