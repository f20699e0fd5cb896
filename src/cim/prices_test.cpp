#include "cim/prices.hpp"

#include <gtest/gtest.h>

#include "cim/circuits.hpp"
#include "cim/converter.hpp"

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

// F. Tu et al., ISSCC 2022, 15.5, beside the chip: 36.63 TOPS/W, 0.9408 mm2 (with floating point), 5.128 ns.
TEST(Prices, OfADigitalArrayBesideAChip) {
    const Slicing slices = slicing_of(digital(), 8, 8);
    const ArrayCircuits circuits{.technology_nm = 28.0, .activity = 0.25, .booth = true, .cell_um2 = 0.427};
    const ArrayPrices prices = with_estimates({}, digital(), slices, circuits);
    const double column_pj = 32 * prices.cell_read_pj.value + prices.shift_add_pj.value;
    const double mac_fj = 4 * column_pj / 32 * 1e3;
    EXPECT_NEAR(mac_fj / 54.6, 0.892, 0.001);
    EXPECT_NEAR(64 * prices.area_um2.value * 1e-6 / 0.9408, 0.781, 0.001);
    EXPECT_NEAR(digital_step_ns(digital(), slices, true) / 5.128, 0.625, 0.001);
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
    const ArrayCircuit circuit = array_circuit("sram_example", 64, 64, 1.0);
    EXPECT_EQ(prices.row_drive_pj.value, circuit.rows.read.pj(0.5, 0.5));
    // 16 converters, a conversion every 10 ns.
    const ConverterCost cost = surveyed_converter(6, 65.0, 16 / 1e-8, 16);
    EXPECT_DOUBLE_EQ(prices.conversion_pj.value, cost.conversion_pj);
    EXPECT_GT(prices.leak_w.value, cost.leak_w);
    array.converter_bits = 3;
    EXPECT_THROW(with_estimates(given, array, slices, {.technology_nm = 65.0}), std::invalid_argument);
}

}  // namespace
}  // namespace tilewright::cim::prices_test
