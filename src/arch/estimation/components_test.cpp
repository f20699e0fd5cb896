// The estimators of register files, DRAM and multiply-accumulate units.
#include <gtest/gtest.h>

#include "arch/estimation/mac.hpp"
#include "arch/estimation/memories.hpp"

namespace tilewright::components_test {
namespace {

TEST(Registers, AreKnownByTheirClass) {
    for (const char* kind :
         {"regfile", "smartbuffer_RF", "aladdin_register", "storage smartbuffer_RF", "regfile_metadata"})
        EXPECT_TRUE(is_register_file(kind)) << kind;
    for (const char* kind : {"SRAM", "smartbuffer_SRAM", "storage", "", "perf"})
        EXPECT_FALSE(is_register_file(kind)) << kind;
}

TEST(Registers, AOneWordRegisterCostsItsBits) {
    const SramEstimate reg = estimate_registers({40, 1, 16, 1, 1});
    EXPECT_DOUBLE_EQ(reg.read_pj, 16 * 0.009);
    EXPECT_DOUBLE_EQ(reg.area_um2, 16 * 5.98);
    EXPECT_EQ(reg.source, "Aladdin registers, 40 nm, 1 x 16 bit");
}

TEST(Registers, TheDecoderComparesTheAddressInEveryRow) {
    // 16 rows: 4 address bits each, of a 32-bit comparator's 0.029 pJ.
    EXPECT_NEAR(estimate_registers({40, 16, 16, 1, 1}).read_pj, 16 * 0.009 + 16 * 4.0 / 32 * 0.029, 1e-12);
}

TEST(Registers, BecomeAnSramWhereThatIsCheaper) {
    const SramEstimate deep = estimate_registers({45, 8192, 64, 1, 1});
    EXPECT_DOUBLE_EQ(deep.read_pj, estimate_sram({45, 8192, 64, 1, 1}).read_pj);
    EXPECT_EQ(deep.source,
              "CACTI 7 table, 45 nm, 64 KiB, 64 bit, 1 bank, 1 port (tabulated), cheaper here than registers");
}

TEST(Registers, GrowWithTheirSize) {
    double before = 0.0;
    for (double rows = 1; rows < 1e6; rows *= 1.3) {
        const SramEstimate now = estimate_registers({65, std::floor(rows), 16, 1, 1});
        EXPECT_GE(now.read_pj + now.write_pj, before) << now.source;
        before = now.read_pj + now.write_pj;
    }
}

TEST(Dram, IsFoundByTypeInAnyCase) {
    ASSERT_TRUE(estimate_dram("lpddr4"));
    EXPECT_DOUBLE_EQ(estimate_dram("lpddr4")->pj_per_bit, 8.0);
    EXPECT_EQ(estimate_dram("HBM2")->source, "HBM2, 3.9 pJ/bit, Accelergy's CACTI plug-in");
    EXPECT_FALSE(estimate_dram("DDR17"));
}

// Unpublished values are marked as assumed, with range and reason.
TEST(Dram, RangesAreKnownByTheirSource) {
    for (const char* type : {"LPDDR5", "LPDDR5X", "DDR5", "GDDR6", "HBM3", "HBM3E"}) {
        const std::optional<DramEstimate> found = estimate_dram(type);
        ASSERT_TRUE(found && found->low && found->high) << type;
        EXPECT_LE(*found->low, found->pj_per_bit);
        EXPECT_LE(found->pj_per_bit, *found->high);
        EXPECT_LT(*found->low, *found->high);
        ASSERT_TRUE(range_behind("part: " + found->source));
        EXPECT_EQ(range_behind(found->source)->type, type);
    }
    EXPECT_EQ(estimate_dram("GDDR6")->source.substr(0, 47), "GDDR6, 7.5 pJ/bit, assumed between 7.5 and 15: ");
    EXPECT_FALSE(range_behind(estimate_dram("HBM2")->source));
    EXPECT_FALSE(range_behind("given in arch.yaml:30"));
}

TEST(Mac, AddsAMultiplicationAndAnAddition) {
    const MacEstimate mac = estimate_mac({45, 8, 32, false});
    EXPECT_DOUBLE_EQ(mac.energy_pj, 0.2 + 0.1);
    EXPECT_DOUBLE_EQ(mac.area_um2, 282 + 137);
    EXPECT_EQ(mac.source, "Horowitz 45 nm: 8-bit multiply 0.2 pJ + 32-bit add 0.1 pJ");
    EXPECT_TRUE(mac.notes.empty());
    EXPECT_DOUBLE_EQ(estimate_mac({45, 16, 32, true}).energy_pj, 1.1 + 0.9);
}

TEST(Mac, AMultiplierGrowsAboutWithTheSquareOfItsWidth) {
    const double bits_8 = estimate_mac({45, 8, 8, false}).energy_pj - 0.03;
    const double bits_16 = estimate_mac({45, 16, 8, false}).energy_pj - 0.03;
    EXPECT_NEAR(bits_16 / bits_8, 4.0, 0.1);
}

TEST(Mac, NamesTheScalingAndWhatIsExtrapolated) {
    const MacEstimate mac = estimate_mac({65, 4, 16, false});
    EXPECT_EQ(mac.source, "Horowitz 45 nm: 4-bit multiply 0.0508 pJ + 16-bit add 0.05 pJ, x1.652 to 65 nm");
    ASSERT_EQ(mac.notes.size(), 1u);
    EXPECT_EQ(mac.notes.front(), "4-bit multiply is outside the tabulated widths: extrapolated");
}

TEST(Mac, LeaksTheMultiplierByTheSquareOfItsWidth) {
    EXPECT_NEAR(estimate_mac({40, 32, 32, false}).leak_mw, 0.08 + 0.0023, 1e-12);
    EXPECT_NEAR(estimate_mac({40, 8, 32, false}).leak_mw, 0.08 / 16 + 0.0023, 1e-12);
}

}  // namespace
}  // namespace tilewright::components_test
