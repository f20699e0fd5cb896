// An array that computes in its memory cells: rows are summed, columns share inputs, weights stay in the cells.
//
// A weight is cut into slices of cell_bits * cells_per_place bits, an input into slices of input_bits_at_once; the
// layer then has two more dimensions: slices of inputs (in the inputs only) and of weights (in the weights only), both
// summed (docs/model.md, "Arrays computing in memory"). Values; pure functions.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright::cim {

enum class Slices { parallel, serial };   ///< of weights: in neighbouring columns, or one after the other
enum class Scan { all, used };            ///< a converter goes through all its columns, or through those in use
enum class SliceSum { digital, analog };  ///< of weights: after the conversion, or before it
/// Columns side by side hold filters; or, where columns are left, several positions of the output, too: a filter's
/// weights lie in the columns of each, further down by a window's step, so that a row drives what windows share once.
enum class Across { filters, positions };

struct Array {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t depth = 1;  ///< weights at one place, one of them at work
    int cell_bits = 1;
    int cells_per_place = 1;
    int input_bits_at_once = 1;
    Slices weight_slices = Slices::parallel;
    Across across = Across::filters;
    std::int64_t columns_per_converter = 1;
    Scan scan = Scan::all;
    bool accumulates_inputs = false;  ///< input slices are summed before the conversion
    SliceSum slice_sum = SliceSum::digital;
    int converter_bits = 0;  ///< 0: a digital array

    bool operator==(const Array&) const = default;
};

/// Reason why an array is none, or "".
std::string problem_with(const Array& array);

/// Slices of a layer whose encoded inputs and weights have so many bits.
struct Slicing {
    std::int64_t inputs = 1;
    std::int64_t weights = 1;
    bool operator==(const Slicing&) const = default;
};
Slicing slicing_of(const Array& array, int input_bits, int weight_bits);

/// Weights that stand side by side.
std::int64_t weights_across(const Array& array, const Slicing& slices);

/// Actions for every word of the layer that passes: factors on counts of the model without slices.
struct ActionsPerWord {
    double input_conversions = 1.0;  ///< of an input entering the array
    double row_drives = 1.0;         ///< likewise
    double cell_reads = 1.0;         ///< of an operation
    double cells_programmed = 1.0;   ///< of a weight
    double column_settles = 1.0;     ///< of a sum of rows
    double samples = 1.0;            ///< likewise
    double conversions = 1.0;        ///< likewise, and of shift-adds
};
ActionsPerWord actions_per_word(const Array& array, const Slicing& slices);

/// Steps of one operation of all places with `columns_in_use` columns.
std::int64_t steps_per_operation(const Array& array, const Slicing& slices, std::int64_t columns_in_use);

/// Actions of O[m,n] += I[k, stride * m + s] * W[k,s,n] on one array, s in a window of taps that all lie on rows (a
/// matrix product: one tap): tiles of n outside those of k, outside those of m.
struct ArrayCounts {
    std::int64_t cells_programmed = 0;
    std::int64_t rows_programmed = 0;  ///< all of an array whose columns hold positions
    std::int64_t input_conversions = 0;
    std::int64_t row_drives = 0;
    std::int64_t cell_reads = 0;
    std::int64_t column_settles = 0;
    std::int64_t samples = 0;
    std::int64_t conversions = 0;  ///< and shift-adds
    std::int64_t steps = 0;
    std::int64_t sums_written = 0;    ///< partial sums leaving
    std::int64_t sums_read_back = 0;  ///< to be added to
    bool operator==(const ArrayCounts&) const = default;
};
struct Product {
    std::int64_t k = 1;
    std::int64_t n = 1;
    std::int64_t m = 1;
    std::int64_t k_tile = 1;
    std::int64_t n_tile = 1;
    std::int64_t window = 1;
    std::int64_t stride = 1;
    std::int64_t m_tile = 1;  ///< 1 unless columns hold positions

    /// Inputs of a channel for so many neighbouring positions.
    std::int64_t inputs_of(std::int64_t positions) const;
};
/// Throws std::invalid_argument for tiles that do not fit: a row for each input of a step, a column (of each slice) for
/// each result; OverflowError.
ArrayCounts counts_of(const Array& array, const Slicing& slices, const Product& product);

/// Bits of a converter that loses nothing of the largest sum of a column.
int lossless_converter_bits(const Array& array);

}  // namespace tilewright::cim
