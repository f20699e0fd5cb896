#include "zigzag/accounting/array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "cim/gates.hpp"

namespace tilewright::zigzag {
namespace {

using enum ArrayPart;

constexpr double kV2 = cim::gates::kSupplyVolts * cim::gates::kSupplyVolts;

/// An array's sizes, as numbers of the circuits.
struct Shape {
    bool analog = false;
    double input_bits = 0.0;
    double weight_bits = 0.0;
    double slice_bits = 0.0;  ///< of an input, entering in one cycle
    double adc_bits = 0.0;
    int column_dimension = 0;  ///< of the accelerator's array
    int row_dimension = 0;
    double columns = 1.0;
    double rows = 1.0;
    double banks = 1.0;
    double cells_deep = 1.0;  ///< weights in one group of cells
    double cell_group_mm2 = 0.0;

    double cycles() const { return input_bits / slice_bits; }
    cim::gates::AdderTree adders() const {
        return analog ? cim::gates::AdderTree{} : cim::gates::sum_tree(rows, weight_bits);
    }
    cim::gates::AdderTree place_values() const {
        return analog ? cim::gates::place_value_tree(weight_bits, adc_bits)
                      : cim::gates::place_value_tree(slice_bits, adders().out_bits);
    }
    /// 0: an input enters whole, and nothing is added up over cycles.
    double accumulator_bits() const {
        if (slice_bits == input_bits) return 0.0;
        return input_bits + weight_bits + (analog ? adc_bits : std::log2(rows));
    }
    /// One-bit multipliers of one weight bit at a cell.
    double lanes() const { return analog ? 1.0 : slice_bits; }
};

const SharedMemory& cells_of(const Accelerator& accelerator) { return accelerator.memory_at(MemoryOperand::i2, 0); }

std::vector<int> dimensions_by_name(const Accelerator& accelerator) {
    std::vector<int> order(accelerator.array.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return accelerator.array[a].name < accelerator.array[b].name; });
    return order;
}

Shape shape_of(const Accelerator& accelerator) {
    const InMemoryArray& array = *accelerator.in_memory;
    Shape shape;
    shape.analog = array.analog;
    shape.input_bits = static_cast<double>(array.input_precision_bits[0]);
    shape.weight_bits = static_cast<double>(array.input_precision_bits[1]);
    shape.slice_bits = static_cast<double>(array.bit_serial_precision_bits);
    shape.adc_bits = static_cast<double>(array.adc_resolution_bits.value_or(0));
    const std::vector<int> order = dimensions_by_name(accelerator);
    shape.column_dimension = order[0];
    shape.row_dimension = order[1];
    shape.columns = static_cast<double>(accelerator.array[order[0]].size);
    shape.rows = static_cast<double>(accelerator.array[order[1]].size);
    for (std::size_t i = 2; i < order.size(); ++i) shape.banks *= static_cast<double>(accelerator.array[order[i]].size);
    const SharedMemory& cells = cells_of(accelerator);
    shape.cells_deep = static_cast<double>(cells.size_bits) / shape.weight_bits;
    shape.cell_group_mm2 = cells.area;
    return shape;
}

/// Energy of one clock in one bank with these columns and rows in use.
ArrayParts cycle_pj(const Shape& shape, double columns, double rows) {
    // Idle rows of a digital array's and idle columns' multipliers are charged, and the bitlines of idle rows (ZigZag).
    const double multiplied_rows = shape.analog ? rows : shape.rows;
    ArrayParts pj;
    pj[multipliers] =
        cim::gates::multiplier_pj(kV2) * shape.lanes() * shape.weight_bits * shape.columns * multiplied_rows;
    if (shape.analog) {
        pj[dacs] = cim::gates::dac_pj(shape.slice_bits, kV2) * rows;
        pj[adcs] = cim::gates::adc_pj(shape.adc_bits, kV2) * shape.weight_bits * columns;
        pj[bitlines] = cim::gates::kLinePf * kV2 * shape.weight_bits * columns * shape.rows;
    } else {
        const auto active = static_cast<std::int64_t>(rows);
        pj[adder_trees] =
            cim::gates::partly_idle_tree_pj(shape.rows, shape.weight_bits, active, kV2) * shape.slice_bits * columns;
    }
    pj[place_values] = cim::gates::adder_pj(kV2) * shape.place_values().adders * columns;
    pj[accumulators] = (cim::gates::adder_pj(kV2) + cim::gates::register_pj(kV2)) * shape.accumulator_bits() * columns;
    return pj;
}

ArrayParts scaled(ArrayParts parts, double factor) {
    for (double& value : parts.values) value *= factor;
    return parts;
}

ArrayParts area_of(const Shape& shape) {
    const double columns = shape.columns * shape.banks;
    ArrayParts mm2;
    mm2[cells] = columns * shape.rows * shape.cell_group_mm2;
    mm2[multipliers] = cim::gates::kMultiplierMm2 * shape.lanes() * shape.weight_bits * columns * shape.rows;
    if (shape.analog)
        mm2[adcs] = cim::gates::adc_mm2(shape.adc_bits) * shape.weight_bits * columns;
    else
        mm2[adder_trees] = cim::gates::kAdderMm2 * shape.adders().adders * shape.slice_bits * columns;
    mm2[place_values] = cim::gates::kAdderMm2 * shape.place_values().adders * columns;
    mm2[accumulators] = (cim::gates::kAdderMm2 + cim::gates::kRegisterMm2) * shape.accumulator_bits() * columns;
    return mm2;
}

ArrayParts delay_of(const Shape& shape) {
    ArrayParts ns;
    ns[multipliers] = cim::gates::kMultiplierNs;
    if (shape.analog)
        ns[adcs] = cim::gates::adc_ns(shape.adc_bits, shape.rows);
    else
        ns[adder_trees] = shape.adders().delay_ns;
    ns[place_values] = shape.place_values().delay_ns;
    if (const double bits = shape.accumulator_bits(); bits > 0)
        ns[accumulators] =
            cim::gates::kInputToCarryNs + (bits - shape.place_values().out_bits - 1) * cim::gates::kCarryToCarryNs;
    return ns;
}

double product_of(const std::vector<Unrolling>& loops) {
    double product = 1.0;
    for (const Unrolling& loop : loops) product *= static_cast<double>(loop.factor);
    return product;
}

const Operand& weights_of(const Layer& layer) { return layer.operands[find_operand(layer, MemoryOperand::i2)]; }

/// Iterations of `dimension` in these loops less one.
double more_of(const std::vector<Unrolling>& loops, int dimension) {
    double more = 0.0;
    for (const Unrolling& loop : loops)
        if (loop.dimension == dimension) more += static_cast<double>(loop.factor - 1);
    return more;
}

/// Rows in use. Output pixels side by side on the columns shift the same weights: they lie along a diagonal, and each
/// filter dimension takes as many rows as the window has positions. The stride is not looked at (ZigZag).
double rows_in_use(const Layer& layer, const std::vector<Unrolling>& columns, const std::vector<Unrolling>& rows) {
    const Operand& weights = weights_of(layer);
    const double straight = product_of(rows);
    const bool pixels =
        std::ranges::any_of(columns, [&](const Unrolling& loop) { return weights.irrelevant.has(loop.dimension); });
    if (!pixels || straight == 1.0) return straight;
    double product = 1.0;
    for (const Unrolling& loop : rows) {
        double positions = static_cast<double>(loop.factor);
        for (const DimensionRelation& window : layer.windows) {
            const bool first_is_output = weights.irrelevant.has(window.first);
            const int filter = first_is_output ? window.second : window.first;
            const int output = first_is_output ? window.first : window.second;
            if (filter == loop.dimension) positions += more_of(columns, output);
        }
        product *= positions;
    }
    return product;
}

bool is_power_of_two(std::int64_t value) { return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value)); }

std::string problem_with_cells(const Accelerator& accelerator) {
    if (accelerator.level_count(MemoryOperand::i2) == 0) return "no memory holds I2, the weights in its cells";
    const SharedMemory& cells = cells_of(accelerator);
    const std::int64_t bits = accelerator.in_memory->input_precision_bits[1];
    if (cells.operands.size() != 1)
        return "the innermost memory of I2, its cells ('" + cells.name + "'), serves others, too";
    if (!cells.served.empty())
        return "its cells ('" + cells.name + "') belong to one unit each: served_dimensions is []";
    if (cells.size_bits % bits != 0)
        return "the " + std::to_string(cells.size_bits) + " bits of its cells ('" + cells.name +
               "') hold no whole number of weights of " + std::to_string(bits) + " bits";
    return "";
}

std::string problem_with_precisions(const InMemoryArray& array) {
    if (array.input_precision_bits.size() != 2) return "input_precision has to be [bits of an input, bits of a weight]";
    for (const std::int64_t bits :
         {array.input_precision_bits[0], array.input_precision_bits[1], array.bit_serial_precision_bits})
        if (!is_power_of_two(bits) || bits > 64)
            return "a precision of " + std::to_string(bits) + " bits is none of 1, 2, 4, ..., 64";
    if (array.bit_serial_precision_bits > array.input_precision_bits[0])
        return "bit_serial_precision exceeds the input's bits";
    if (array.analog != array.adc_resolution_bits.has_value() && (array.analog || *array.adc_resolution_bits != 0))
        return array.analog ? "an analog array needs adc_resolution" : "adc_resolution belongs to analog arrays";
    if (array.adc_resolution_bits && (*array.adc_resolution_bits < 0 || *array.adc_resolution_bits > 32))
        return "adc_resolution has to be 0 to 32 bits";
    return "";
}

}  // namespace

std::string_view name_of(ArrayPart part) {
    static constexpr std::array<std::string_view, kArrayParts> kNames{
        "cells",     "local_bl_precharging", "dacs", "adcs", "mults", "analog_bl_addition", "adders_regular",
        "adders_pv", "accumulators"};
    return kNames[static_cast<std::size_t>(part)];
}

double ArrayParts::total() const { return std::accumulate(values.begin(), values.end(), 0.0); }

std::string problem_with_array(const Accelerator& accelerator) {
    const InMemoryArray& array = *accelerator.in_memory;
    const std::string name = "accelerator '" + accelerator.name + "' computes in its memory cells, and ";
    if (accelerator.array.size() < 2) return name + "its array has one dimension: columns and rows are needed";
    if (std::string text = problem_with_precisions(array); !text.empty()) return name + text;
    if (std::string text = problem_with_cells(accelerator); !text.empty()) return name + text;
    const Shape shape = shape_of(accelerator);
    if (!array.analog && (shape.rows < 2 || !is_power_of_two(static_cast<std::int64_t>(shape.rows))))
        return name + "a digital array's rows, '" + accelerator.array[shape.row_dimension].name +
               "', have to be a power of two";
    if (shape.accumulator_bits() > 0 && shape.place_values().out_bits >= shape.accumulator_bits())
        return name + "its accumulator is not wider than its addends";
    return "";
}

ArrayCosts array_costs(const Accelerator& accelerator) {
    const Shape shape = shape_of(accelerator);
    return {area_of(shape), delay_of(shape), scaled(cycle_pj(shape, shape.columns, shape.rows), shape.banks),
            shape.columns * shape.rows / shape.cycles() * shape.banks};
}

ArrayEnergy operations_energy(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling) {
    const Shape shape = shape_of(accelerator);
    const std::vector<Unrolling>& columns = unrolling[shape.column_dimension];
    const std::vector<Unrolling>& rows = unrolling[shape.row_dimension];
    const double in_use = rows_in_use(layer, columns, rows);
    const double activations = static_cast<double>(layer.operations) / (product_of(columns) * product_of(rows)) *
                               shape.cycles();  // of one bank
    return {scaled(cycle_pj(shape, product_of(columns), in_use), activations), static_cast<std::int64_t>(in_use)};
}

double precharge_pj(const Accelerator& accelerator) {
    const Shape shape = shape_of(accelerator);
    if (shape.cells_deep <= 1) return 0.0;
    return (cim::gates::kLinePf + cim::gates::kLinePf * shape.cells_deep) * kV2 * shape.weight_bits;
}

std::int64_t reused_in_cells(const Layer& layer, const UnevenMapping& mapping) {
    std::int64_t product = 1;
    for (const TemporalLoop& loop : mapping.operands[find_operand(layer, MemoryOperand::i2)].front()) {
        if (!weights_of(layer).irrelevant.has(loop.dimension)) break;
        product *= loop.size;
    }
    return product;
}

}  // namespace tilewright::zigzag
