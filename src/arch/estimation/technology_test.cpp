#include "arch/estimation/technology.hpp"

#include <gtest/gtest.h>

namespace tilewright::technology_test {
namespace {

TEST(Technology, ReadsTheUsualSpellings) {
    EXPECT_EQ(technology_nm("45nm"), 45.0);
    EXPECT_EQ(technology_nm("45 nm"), 45.0);
    EXPECT_EQ(technology_nm("45"), 45.0);
    EXPECT_EQ(technology_nm("0.13um"), 130.0);
    for (const char* bad : {"", "DRAM", "nm", "-45nm", "0nm", "45 miles", "nan", "inf", "1e300"})
        EXPECT_EQ(technology_nm(bad), std::nullopt) << bad;
}

TEST(Technology, ScalesByTheTabulatedPolynomials) {
    // 65 nm at 1.1 V: 3.755 * 1.21 - 4.398 * 1.1 + 1.975 = 1.68075; 45 nm at 1 V: 1.103 - 0.362 + 0.2767 = 1.0177.
    EXPECT_NEAR(energy_scale(45, 65).value, 1.68075 / 1.0177, 1e-12);
    EXPECT_NEAR(area_scale(45, 65).value, 0.23 / 0.16, 1e-12);
    EXPECT_EQ(energy_scale(45, 45).value, 1.0);
    EXPECT_NEAR(energy_scale(16, 65).value * energy_scale(65, 16).value, 1.0, 1e-12);
    EXPECT_EQ(energy_scale(45, 40).fit, Fit::interpolated);
    EXPECT_EQ(energy_scale(45, 5).fit, Fit::extrapolated);
}

TEST(Technology, SmallerNodesNeverCostMore) {
    double energy = 0.0;
    double area = 0.0;
    for (double nm = 5.0; nm < 180.0; nm *= 1.05) {
        EXPECT_GE(energy_scale(45, nm).value, energy) << nm;
        EXPECT_GE(area_scale(45, nm).value, area) << nm;
        energy = energy_scale(45, nm).value;
        area = area_scale(45, nm).value;
    }
}

TEST(Wire, IsExactAtTheTabulatedTechnologies) {
    EXPECT_DOUBLE_EQ(estimate_wire(40).pj_per_bit_mm, 0.121);
    EXPECT_EQ(estimate_wire(40).source, "Keckler 2011 wires, 40 nm (tabulated)");
    EXPECT_LT(estimate_wire(22).pj_per_bit_mm, 0.121);
    EXPECT_GT(estimate_wire(22).pj_per_bit_mm, 0.078);
    EXPECT_EQ(estimate_wire(65).fit, Fit::extrapolated);
}

}  // namespace
}  // namespace tilewright::technology_test
