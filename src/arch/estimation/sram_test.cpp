#include "arch/estimation/memories.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "arch/estimation/tables.hpp"

namespace tilewright::sram_test {
namespace {

SramShape shape(double nm, double bytes, double width, double banks = 1, double ports = 1) {
    return {nm, bytes * 8 / width, width, banks, ports};
}

TEST(Sram, ReproducesEveryTablePoint) {
    const tables::Table table = tables::load("sram_cacti7.csv");
    ASSERT_EQ(table.row_count(), 1136);
    for (int row = 0; row < table.row_count(); ++row) {
        const SramEstimate sram = estimate_sram(shape(table.number(row, "technology_nm"),
                                                      table.number(row, "size_bytes"), table.number(row, "width_bits"),
                                                      table.number(row, "banks"), table.number(row, "rw_ports")));
        const auto expect = [&](double found, const char* column, double unit = 1.0) {
            const double expected = table.number(row, column) * unit;
            EXPECT_NEAR(found, expected, 1e-12 * expected) << column << " of row " << row;
        };
        expect(sram.read_pj, "read_pj");
        expect(sram.write_pj, "write_pj");
        expect(sram.leak_mw, "leak_mw");
        expect(sram.area_um2, "area_mm2", 1e6);
        expect(sram.cycle_ns, "cycle_ns");
        EXPECT_EQ(sram.fit, Fit::tabulated) << sram.source;
        EXPECT_TRUE(sram.notes.empty()) << sram.notes.front();
    }
}

TEST(Sram, LiesBetweenItsNeighbours) {
    const double small = estimate_sram(shape(45, 8192, 64)).read_pj;
    const double large = estimate_sram(shape(45, 16384, 64)).read_pj;
    const SramEstimate between = estimate_sram(shape(45, 10000, 64));
    EXPECT_GT(between.read_pj, small);
    EXPECT_LT(between.read_pj, large);
    EXPECT_EQ(between.fit, Fit::interpolated);

    const double newer = estimate_sram(shape(32, 16384, 64)).read_pj;
    const double at_40 = estimate_sram(shape(40, 16384, 64)).read_pj;
    EXPECT_GT(at_40, std::min(newer, large));
    EXPECT_LT(at_40, std::max(newer, large));
}

TEST(Sram, HalfwayInSizeIsTheGeometricMean) {
    const double rows = 1024.0;
    const double low = estimate_sram({65, rows, 64, 4, 1}).write_pj;
    const double high = estimate_sram({65, 2 * rows, 64, 4, 1}).write_pj;
    const double middle = estimate_sram({65, rows * std::sqrt(2.0), 64, 4, 1}).write_pj;
    EXPECT_NEAR(middle, std::sqrt(low * high), 1e-9 * middle);
}

TEST(Sram, GrowsWithSizeEverywhere) {
    for (const double nm : {7.0, 22.0, 28.0, 40.0, 65.0, 130.0})
        for (const double width : {8.0, 24.0, 32.0, 100.0, 512.0, 2048.0})
            for (const double banks : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0})
                for (const double ports : {1.0, 2.0, 3.0}) {
                    SramEstimate before = estimate_sram({nm, 1, width, banks, ports});
                    for (double rows = 1.7; rows < 1e9; rows *= 1.7) {
                        const SramEstimate now = estimate_sram({nm, rows, width, banks, ports});
                        ASSERT_GE(now.read_pj, before.read_pj) << now.source;
                        ASSERT_GE(now.write_pj, before.write_pj) << now.source;
                        ASSERT_GE(now.leak_mw, before.leak_mw) << now.source;
                        ASSERT_GE(now.area_um2, before.area_um2) << now.source;
                        before = now;
                    }
                }
}

TEST(Sram, NamesWhatItUsed) {
    EXPECT_EQ(estimate_sram(shape(65, 131072, 64, 16)).source,
              "CACTI 7 table, 65 nm, 128 KiB, 64 bit, 16 banks, 1 port (tabulated)");
    EXPECT_EQ(estimate_sram(shape(28, 1536, 48)).source,
              "CACTI 7 table, 28 nm, 1.5 KiB, 48 bit, 1 bank, 1 port (interpolated)");
}

TEST(Sram, SaysWhatLiesOutsideTheTable) {
    const auto note_of = [](const SramShape& asked) {
        const SramEstimate sram = estimate_sram(asked);
        EXPECT_EQ(sram.fit, Fit::extrapolated) << sram.source;
        return sram.notes.size() == 1 ? sram.notes.front() : std::to_string(sram.notes.size()) + " notes";
    };
    EXPECT_EQ(note_of(shape(65, 131072, 64, 32)),
              "number of banks 32 is outside the CACTI table, which ends at 16: the nearest is used");
    EXPECT_EQ(note_of(shape(16, 131072, 64)),
              "technology (nm) 16 is outside the CACTI table, which begins at 22: scaled like logic");
    EXPECT_EQ(
        note_of({45, 192, 16, 1, 1}),
        "width (bits) 16 is outside the CACTI table, which begins at 32: scaled with the width at the same number of "
        "rows");
    EXPECT_EQ(note_of({45, 16, 64, 1, 1}),
              "128 B at 64 bit and 1 bank is outside the CACTI table: extrapolated over the size");
}

TEST(Sram, ANarrowRowIsAShareOfTheNarrowestTabulatedOne) {
    const SramEstimate whole = estimate_sram({45, 256, 32, 1, 1});
    const SramEstimate half = estimate_sram({45, 256, 16, 1, 1});
    EXPECT_NEAR(half.read_pj, whole.read_pj / 2, 1e-12);
    EXPECT_NEAR(half.area_um2, whole.area_um2 / 2, 1e-9);
}

}  // namespace
}  // namespace tilewright::sram_test
