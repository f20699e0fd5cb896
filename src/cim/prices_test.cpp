#include "cim/prices.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tilewright::cim::prices_test {
namespace {

Array digital() {
    Array array;
    array.rows = 32;
    array.columns = 6;
    array.cells_per_place = 8;
    array.input_bits_at_once = 2;
    return array;
}

// F. Tu et al., ISSCC 2022, 15.5, as ZigZag-IMC predicts it (chip DIMC1 of the reference model): multipliers 2.268 fJ
// and trees 32.4253125 fJ a multiply-accumulate, accumulators of 32 bits 20.412 fJ; ours have 4 slices of 2 bits + 14
// bits of the tree. Areas, in NANDs of 0.614 um2: 8 multipliers at 32 rows, 32 (9 + 1) - (9 + 5 + 1) adders of 7.8, 22
// bits of an adder and a register (7.8 + 6). Path, in NANDs of 47.8 ps: multiplier 1; tree 4 * 4.8 + 4.4 + 12 * 2; 4.4
// + 7 * 2.
TEST(Prices, OfADigitalArrayAreTheReferenceModels) {
    const Slicing slices = slicing_of(digital(), 8, 8);
    const ArrayCircuits circuits{.technology_nm = 28.0, .activity = 0.25, .booth = true, .cell_um2 = 0.427};
    const ArrayPrices prices = with_estimates({}, digital(), slices, circuits);
    const double column_pj = 32 * prices.cell_read_pj.value + prices.shift_add_pj.value;
    EXPECT_NEAR(4 * column_pj / 32 * 1e3, 2.268 + 32.4253125 + 20.412 * 22 / 32, 1e-9);
    EXPECT_NEAR(prices.area_um2.value, 6 * (0.614 * (8 * 32 + 305 * 7.8 + 22 * 13.8) + 0.427 * 8 * 32), 1e-8);
    EXPECT_NEAR(digital_step_ns(digital(), slices, true), 67 * 0.0478, 1e-12);
}

TEST(Prices, GivenOnesStay) {
    ArrayPrices given;
    given.cell_read_pj = {5.0, "given"};
    given.area_um2 = {7.0, "given"};
    const ArrayPrices prices = with_estimates(given, digital(), slicing_of(digital(), 8, 8), {.technology_nm = 28.0});
    EXPECT_EQ(prices.cell_read_pj, given.cell_read_pj);
    EXPECT_EQ(prices.area_um2, given.area_um2);
    EXPECT_GT(prices.shift_add_pj.value, 0.0);
}

TEST(Prices, OfAnAnalogArrayAreCircuitsAndConverters) {
    Array array;
    array.rows = array.columns = 64;
    array.converter_bits = 6;
    array.columns_per_converter = 4;
    ArrayPrices given;
    given.step_seconds = 1e-8;
    const Slicing slices = slicing_of(array, 8, 4);
    const ArrayPrices prices =
        with_estimates(given, array, slices, {.cells = "sram_example", .pulse_ns = 1.0, .technology_nm = 65.0});
    // The table's row of 64 x 64 cells: half of its 0.03231885 and 0.067281513 pJ. Reference model of the survey, 16
    // converters that do 1.6e9 conversions a second: 3.229118848120606 pJ, 1.2916475392482423 mW, 164620.45816286543
    // um2.
    EXPECT_NEAR(prices.row_drive_pj.value, 0.0498001815, 1e-12);
    EXPECT_EQ(prices.column_settle_pj.value, 0.0);
    EXPECT_NEAR(prices.program_pj.value, 0.422036527 + 0.225129952774 / 64, 1e-12);
    EXPECT_NEAR(prices.conversion_pj.value, 3.229118848120606, 1e-12);
    EXPECT_NEAR(prices.leak_w.value, 1.2916475392482423e-3 + (47.91484 + 21.340735 + 4096 * 0.13026) * 1e-9, 1e-14);
    EXPECT_NEAR(prices.area_um2.value, 164620.45816286543 + 1747.1466 + 4096 * 0.338, 1e-7);
    array.converter_bits = 3;
    EXPECT_THROW(with_estimates(given, array, slices, {.technology_nm = 65.0}), std::invalid_argument);
}

}  // namespace
}  // namespace tilewright::cim::prices_test
