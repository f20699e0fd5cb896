// Our round-robin controller against recorded runs of DRAMSim2 (753819a): every request accepted and every read and
// write done in the same clock.
#include <gtest/gtest.h>

#include "dramsim2_devices.hpp"

namespace tilewright::golden::dramsim2_test {
namespace {

TEST(DramSim2, RegularStreamsInTheSameClocks) {
    EXPECT_GE(compare_table("tests/golden/dram/dramsim2.csv", dramsim2_memory, true), 200);
}

TEST(DramSim2, AllStreamsInTheSameClocks) {
    if (!std::filesystem::exists(kRecordedStreams)) GTEST_SKIP() << "skipped: there is no folder " << kRecordedStreams;
    EXPECT_EQ(compare_all("dramsim2_", dramsim2_memory, true), 414);
}

}  // namespace
}  // namespace tilewright::golden::dramsim2_test
