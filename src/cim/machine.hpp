// A machine with an array computing in memory: levels inside the memories of another machine.
//
// Inside the last memory lie `arrays` arrays, side by side along X; in each weights_across() columns along X that share
// inputs, in each of those the rows along Y, whose products are summed; at each place cells that keep weights. Words of
// inputs pass drivers on the way into an array, sums of rows converters on the way out of a column: prices are times
// the slices of a word, and a cycle of the machine is one operation of all places with all its slices.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/architecture.hpp"
#include "cim/array.hpp"

namespace tilewright::cim {

/// Of single actions, pJ; leakage and area of one array.
struct ArrayPrices {
    double input_conversion_pj = 0.0;
    double row_drive_pj = 0.0;
    double cell_read_pj = 0.0;
    double column_settle_pj = 0.0;
    double sample_pj = 0.0;
    double conversion_pj = 0.0;
    double shift_add_pj = 0.0;
    double program_pj = 0.0;  ///< of a cell
    double leak_w = 0.0;
    double area_um2 = 0.0;
    std::vector<Passage> entering;  ///< more of words on the way into an array, or of results out of it
    std::vector<Passage> leaving;   ///< more of results out of a column
    double step_seconds = 1e-9;     ///< of one input slice, one column of each converter
};

/// Slices as factors on prices and time; or as dimensions of the layer (sliced()), where every action is a word.
enum class SlicesAs { factors, dimensions };

/// Requires problem_with(array) "", weights_across() >= 1, at least one memory outside. Dimensions only without
/// accumulation and slices summed before the conversion.
Architecture with_array(Architecture outside, const Array& array, const Slicing& slices, const ArrayPrices& prices,
                        std::int64_t arrays = 1, SlicesAs form = SlicesAs::factors);

/// The product with dimensions "x" (slices of inputs) and "y" (of weights): O[m,n] += I[m,k,x] * W[k,n,y].
Einsum sliced(const Einsum& einsum, const Slicing& slices);

}  // namespace tilewright::cim
