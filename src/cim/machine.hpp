// A machine with arrays computing in memory: levels inside the memories of another machine.
//
// At each place of the outside machine's compute units lies an array: weights_across() columns along X that share
// inputs, in each of them cells that keep weights, and rows along Y, whose products are summed. Words of inputs pass
// drivers on the way into an array, sums of rows converters on the way out of a column: prices are times the slices of
// a word, and a cycle of the machine is one operation of all places with all its slices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "cim/array.hpp"

namespace tilewright::cim {

/// Of single actions, pJ; leakage and area of one array. The sources are shown by `show --energies`.
struct ArrayPrices {
    Sourced input_conversion_pj;
    Sourced row_drive_pj;
    Sourced cell_read_pj;
    Sourced column_settle_pj;
    Sourced sample_pj;
    Sourced conversion_pj;
    Sourced shift_add_pj;
    Sourced program_pj;  ///< of a cell
    Sourced leak_w;
    Sourced area_um2;
    std::vector<Passage> entering;  ///< more of words on the way into an array, or of results out of it
    std::vector<Passage> leaving;   ///< more of results out of a column
    double step_seconds = 1e-9;     ///< of one input slice, one column of each converter
    double program_seconds = 0.0;   ///< of one row of all columns, in which the array does nothing else
};

/// Slices as factors on prices and time; or as dimensions of the layer (sliced()), where every action is a word.
enum class SlicesAs { factors, dimensions };

/// The levels are called NAME (columns) and NAME_cells. Where columns hold positions NAME has rows and columns in one
/// block, inside NAME_inputs, a latch of one input a row, and the array is written whole. Requires problem_with(array)
/// "", weights_across() >= 1, at least one memory outside. Dimensions only without accumulation and slices summed
/// before the conversion.
Architecture with_array(Architecture outside, const Array& array, const Slicing& slices, const ArrayPrices& prices,
                        SlicesAs form = SlicesAs::factors, const std::string& name = "array");

/// The product with dimensions "x" (slices of inputs) and "y" (of weights): O[m,n] += I[m,k,x] * W[k,n,y].
Einsum sliced(const Einsum& einsum, const Slicing& slices);

}  // namespace tilewright::cim
