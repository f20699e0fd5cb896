// The worked example of docs/estimation.md.
#include <gtest/gtest.h>

#include "arch/estimation/mac.hpp"
#include "arch/estimation/memories.hpp"

namespace tilewright::documentation_test {
namespace {

TEST(EstimationGuide, TheBufferOfTheExample) {
    const SramEstimate buffer = estimate_sram({45, 12288 * 8 / 64, 64, 1, 1});
    EXPECT_NEAR(buffer.read_pj, 8.911, 0.0005);
    EXPECT_NEAR(buffer.read_pj, 6.13702 * std::pow(11.6097 / 6.13702, std::log2(1.5)), 1e-9);
}

TEST(EstimationGuide, TheUnitOfTheExample) { EXPECT_NEAR(estimate_mac({65, 8, 16, false}).energy_pj, 0.4129, 0.00005); }

TEST(EstimationGuide, TheRegisterFileOfTheExample) {
    EXPECT_NEAR(estimate_registers({40, 16, 16, 1, 1}).read_pj, 0.202, 1e-12);
}

TEST(EstimationGuide, TheComparisonWithPublishedNumbers) {
    EXPECT_NEAR(estimate_sram({45, 1024, 64, 1, 1}).read_pj, 6.1, 0.05);
    EXPECT_NEAR(estimate_sram({45, 4096, 64, 1, 1}).read_pj, 17.0, 0.05);
    EXPECT_NEAR(estimate_sram({45, 131072, 64, 1, 1}).read_pj, 93.5, 0.05);
    EXPECT_NEAR(estimate_sram({7, 65536, 512, 16, 1}).read_pj / 512, 0.125, 0.0005);
    EXPECT_NEAR(estimate_mac({7, 16, 32, true}).energy_pj, 0.094, 0.0005);
    EXPECT_NEAR(estimate_sram({65, 16384, 64, 32, 1}).read_pj, 50.5, 0.05);
    EXPECT_NEAR(estimate_registers({65, 192, 16, 1, 1}).read_pj, 0.86, 0.005);
    EXPECT_NEAR(estimate_registers({65, 192, 16, 1, 1}).write_pj, 2.16, 0.005);
    EXPECT_NEAR(estimate_mac({45, 8, 16, false}).energy_pj, 0.25, 1e-12);
}

}  // namespace
}  // namespace tilewright::documentation_test
