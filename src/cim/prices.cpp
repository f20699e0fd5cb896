#include "cim/prices.hpp"

#include <cmath>
#include <stdexcept>

#include "arch/estimation/technology.hpp"
#include "base/numbers/number_text.hpp"
#include "cim/circuits.hpp"
#include "cim/component.hpp"
#include "cim/gates.hpp"

namespace tilewright::cim {
namespace {

void fill(Sourced& price, double value, const std::string& source) {
    if (price.source.empty()) price = {value, source};
}

/// Adds to a price that is not given.
void add(Sourced& price, bool given, double value, const std::string& source) {
    if (given) return;
    price.value += value;
    price.source += (price.source.empty() ? "" : "; ") + source;
}

struct Given {
    bool leak = false;
    bool area = false;
};

void add_circuits(ArrayPrices& prices, const Given& given, const Array& array, const ArrayCircuits& circuits) {
    const ArrayCircuit circuit = array_circuit(circuits.cells, array.rows, array.columns, circuits.pulse_ns);
    const std::string source = "table of array circuits (NeuroSim V1.3), " + circuits.cells;
    const auto columns = static_cast<double>(array.columns);
    fill(prices.row_drive_pj, circuit.rows.read.pj(circuits.mean_input, circuits.mean_weight), source);
    fill(prices.column_settle_pj, circuit.columns.read.pj(circuits.mean_input, circuits.mean_weight), source);
    fill(prices.cell_read_pj, circuit.cell.read.pj(circuits.mean_input, circuits.mean_weight), source);
    fill(prices.program_pj,
         circuit.write_0_pj * (1 - circuits.mean_weight) + circuit.write_1_pj * circuits.mean_weight +
             circuit.weight_row_write_pj / columns,
         source);
    const double cells = columns * static_cast<double>(array.rows * array.depth * array.cells_per_place);
    add(prices.leak_w, given.leak,
        (circuit.rows.leak_nw + circuit.columns.leak_nw + circuit.weight_row_leak_nw + cells * circuit.cell.leak_nw) *
            1e-9,
        source);
    add(prices.area_um2, given.area, circuit.rows.area_um2 + circuit.columns.area_um2 + cells * circuit.cell.area_um2,
        source);
}

void add_converters(ArrayPrices& prices, const Given& given, const Array& array, const Slicing& slices,
                    const ArrayCircuits& circuits) {
    const auto columns = static_cast<double>(array.columns);
    const double seconds = prices.step_seconds * static_cast<double>(steps_per_operation(array, slices, array.columns));
    const double count = std::ceil(columns / static_cast<double>(array.columns_per_converter));
    const double rate =
        actions_per_word(array, slices).conversions * static_cast<double>(weights_across(array, slices)) / seconds;
    if (array.converter_bits < 4) {
        if (prices.conversion_pj.source.empty())
            throw std::invalid_argument("converters are surveyed from 4 bits: give 'conversion_energy'");
        return;
    }
    const ConverterCost cost = surveyed_converter(array.converter_bits, circuits.technology_nm, rate, count);
    const std::string source = "survey of converters (arXiv 2404.06553), " + std::to_string(array.converter_bits) +
                               " bits at " + technology_text(circuits.technology_nm);
    fill(prices.conversion_pj, cost.conversion_pj, source);
    add(prices.leak_w, given.leak, cost.leak_w, source);
    add(prices.area_um2, given.area, cost.area_um2, source);
}

/// Circuits of one column of a digital array, at 28 nm.
struct Column {
    double inputs = 1.0;  ///< products of one cell that are added at once
    double weight_bits = 1.0;
    double product_bits = 1.0;
    double rows = 1.0;
    gates::AdderTree tree;
    gates::AdderTree places;
    double accumulator_bits = 0.0;  ///< 0: an input enters whole

    double multipliers() const { return inputs * weight_bits * rows; }
};

Column column_of(const Array& array, const Slicing& slices, bool booth) {
    Column column;
    const double bits_at_once = array.input_bits_at_once;
    column.inputs = booth ? std::ceil(bits_at_once / 2) : bits_at_once;
    column.weight_bits = static_cast<double>(array.cell_bits) * array.cells_per_place;
    column.product_bits = column.weight_bits + (booth ? 1 : 0);
    column.rows = static_cast<double>(array.rows);
    column.tree = gates::sum_tree(column.rows, column.product_bits);
    column.places = gates::place_value_tree(column.inputs, column.tree.out_bits);
    if (slices.inputs > 1)
        column.accumulator_bits = bits_at_once * static_cast<double>(slices.inputs) + column.tree.out_bits;
    return column;
}

// A row in use pays its multipliers and its share of the tree's adders, (bits + 1) for each number; what the tree has
// less than that is taken off the column.
void add_gates(ArrayPrices& prices, const Given& given, const Array& array, const Slicing& slices,
               const ArrayCircuits& circuits) {
    const Column column = column_of(array, slices, circuits.booth);
    const double v2 = circuits.supply_v * circuits.supply_v;
    const double scale = energy_scale(28.0, circuits.technology_nm).value;
    const std::string source = "gates at 28 nm (ZigZag's), " + short_number(circuits.supply_v) + " V, scaled to " +
                               technology_text(circuits.technology_nm);
    const double adder = gates::adder_pj(v2) * scale * circuits.activity;
    const double shares = column.inputs * (column.product_bits + 1);
    fill(prices.cell_read_pj,
         column.inputs * column.weight_bits * gates::multiplier_pj(v2) * scale * circuits.activity + shares * adder,
         source);
    const double accumulator = column.accumulator_bits * (gates::adder_pj(v2) + gates::register_pj(v2)) * scale;
    const double less = (shares * column.rows - column.inputs * column.tree.adders) * adder;
    fill(prices.shift_add_pj, std::max(0.0, accumulator + column.places.adders * adder - less), source);
    const double mm2 = column.multipliers() * gates::kMultiplierMm2 +
                       (column.inputs * column.tree.adders + column.places.adders) * gates::kAdderMm2 +
                       column.accumulator_bits * (gates::kAdderMm2 + gates::kRegisterMm2);
    add(prices.area_um2, given.area,
        mm2 * 1e6 * static_cast<double>(array.columns) * area_scale(28.0, circuits.technology_nm).value +
            circuits.cell_um2 * static_cast<double>(array.rows * array.columns * array.depth * array.cells_per_place),
        source);
}

}  // namespace

ArrayPrices with_estimates(ArrayPrices prices, const Array& array, const Slicing& slices,
                           const ArrayCircuits& circuits) {
    const Given given{!prices.leak_w.source.empty(), !prices.area_um2.source.empty()};
    if (!circuits.cells.empty()) add_circuits(prices, given, array, circuits);
    if (array.converter_bits > 0) {
        add_converters(prices, given, array, slices, circuits);
    } else if (circuits.technology_nm > 0.0) {
        add_gates(prices, given, array, slices, circuits);
    }
    return prices;
}

double digital_step_ns(const Array& array, const Slicing& slices, bool booth) {
    const Column column = column_of(array, slices, booth);
    double ns = gates::kMultiplierNs + column.tree.delay_ns + column.places.delay_ns;
    if (column.accumulator_bits > 0.0)
        ns += gates::kInputToCarryNs + (column.accumulator_bits - column.places.out_bits - 1) * gates::kCarryToCarryNs;
    return ns;
}

}  // namespace tilewright::cim
