// Our first-ready controller against recorded runs of ramulator2: every request accepted and every read done in the
// same clock.
#include <gtest/gtest.h>

#include "dram_streams.hpp"
#include "sim/dram/load.hpp"

namespace tilewright::golden::ramulator_test {
namespace {

/// By the name of the recorded configuration.
RecordedMemory ramulator_memory(const std::string& name) {
    const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
    const char* device = has("ddr3")     ? "ddr3-1600"
                         : has("lpddr5") ? "lpddr5-6400"
                         : has("hbm2")   ? "hbm2-2000"
                         : has("3200")   ? "ddr4-3200"
                                         : "ddr4-2400";
    RecordedMemory memory{sim::dram::device_named(device).value(), {}};
    memory.options.channels = has("4ch") ? 4 : has("2ch") ? 2 : 1;
    if (has("mop")) memory.options.controller.interleaving = sim::dram::Interleaving::four_accesses;
    if (has("norefresh")) memory.device.timing.refresh_interval = 0;
    return memory;
}

TEST(Ramulator, RegularStreamsInTheSameClocks) {
    EXPECT_GE(compare_table("tests/golden/dram/ramulator.csv", ramulator_memory, false), 150);
}

TEST(Ramulator, AllStreamsInTheSameClocks) {
    if (!std::filesystem::exists(kRecordedStreams)) GTEST_SKIP() << "skipped: there is no folder " << kRecordedStreams;
    EXPECT_EQ(compare_all("ramulator2_", ramulator_memory, false), 414);
}

}  // namespace
}  // namespace tilewright::golden::ramulator_test
