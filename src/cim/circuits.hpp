// Circuits around the cells of an array from data/tables/array_circuits.csv: row and column drivers, cells, their
// energies, areas and leakage by cell description, rows, columns and read pulse. The table names its source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arch/estimation/tables.hpp"

namespace tilewright::cim {

/// Of one use, by the means of its input and of the cells (shares of the largest value): linear in each.
struct ReadEnergy {
    double off_off_pj = 0.0;  ///< input 0, cell 0
    double off_on_pj = 0.0;
    double on_off_pj = 0.0;  ///< input 1, cell 0
    double on_on_pj = 0.0;

    double pj(double mean_input, double mean_cell) const {
        return (off_off_pj * (1.0 - mean_cell) + off_on_pj * mean_cell) * (1.0 - mean_input) +
               (on_off_pj * (1.0 - mean_cell) + on_on_pj * mean_cell) * mean_input;
    }
};

/// Drivers of all rows or all columns, or one cell.
struct CircuitPart {
    ReadEnergy read;  ///< of one row, column or cell
    double area_um2 = 0.0;
    double leak_nw = 0.0;
};

struct ArrayCircuit {
    double technology_nm = 0.0;
    double supply_v = 0.0;
    CircuitPart rows;
    CircuitPart columns;
    CircuitPart cell;
    double write_0_pj = 0.0;  ///< a cell that becomes 0
    double write_1_pj = 0.0;
    double weight_row_write_pj = 0.0;
    double weight_row_leak_nw = 0.0;
    Fit fit = Fit::tabulated;
};

/// The cell descriptions of the table.
std::vector<std::string> cell_descriptions();

/// Of an array of `rows` x `columns` cells read by pulses of `pulse_ns`. Shapes beside the table's are interpolated,
/// log to log along its square arrays: a row drive by columns, a column by rows, totals by their numbers. Pulses beside
/// the table's, 1 and 10 ns, likewise. Throws std::invalid_argument for an unknown description.
ArrayCircuit array_circuit(std::string_view cell, std::int64_t rows, std::int64_t columns, double pulse_ns);

}  // namespace tilewright::cim
