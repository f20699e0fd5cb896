// Prices of an array's actions that its machine does not give: circuits by tables, converters by a survey, adder trees
// by gates. Each names its source. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "cim/machine.hpp"

namespace tilewright::cim {

/// How an array is built.
struct ArrayCircuits {
    std::string cells = {};  ///< a description of cim/circuits.hpp; "": prices of rows, columns and cells are given
    double pulse_ns = 10.0;
    double technology_nm = 0.0;  ///< of converters and gates
    double supply_v = 0.9;       ///< of gates
    double mean_input = 0.5;     ///< of a slice, as a share of its largest value
    double mean_weight = 0.5;
    double activity = 1.0;  ///< share of the multipliers and adders of a digital array that switch
    bool booth = false;     ///< inputs recoded: one product for two bits, a bit wider
    double cell_um2 = 0.0;  ///< of a digital array's cell
};

/// Cells times prices, leakage and area of the array's circuits. With a converter: drivers and cells by the table,
/// conversions by the survey; without one: a one-bit multiplier for every bit of a slice at every cell, a tree of
/// adders in every column, an accumulator over slices of inputs (cim/gates.hpp, scaled from 28 nm). `given` stays as it
/// is; its passages count for nothing here. Throws std::invalid_argument for an unknown cell, a converter below 4 bits
/// without a price.
ArrayPrices with_estimates(ArrayPrices given, const Array& array, const Slicing& slices, const ArrayCircuits& circuits);

/// Longest path of a digital array's circuits at 0.9 V, ns at 28 nm: multiplier, tree, place values, accumulator.
double digital_step_ns(const Array& array, const Slicing& slices, bool booth = false);

}  // namespace tilewright::cim
