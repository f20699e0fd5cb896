// One layer in ZigZag's form: loop dimensions, operands with a precision each, and sliding windows.
//
// A window (ZigZag: a partially relevant data dimension) is an axis such as IX = 2*OX + 1*FX. An operand addressed
// through windows has all of the layer's windows; its dimensions inside them are neither relevant nor irrelevant.
// ZigZag 3.8.5: zigzag/workload/layer_node.py. Plain values; pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workload/einsum.hpp"

namespace tilewright::zigzag {

/// The memories' names for operands.
enum class MemoryOperand { i1, i2, o };
inline constexpr int kMemoryOperands = 3;

/// "I1", "I2", "O".
std::string_view name_of(MemoryOperand operand);

/// A set of the layer's dimensions, by index.
class DimensionSet {
   public:
    constexpr bool has(int dimension) const { return (bits_ >> dimension & 1U) != 0; }
    constexpr void add(int dimension) { bits_ |= 1U << dimension; }
    constexpr bool operator==(const DimensionSet&) const = default;

   private:
    std::uint32_t bits_ = 0;
};

/// size = first_step * first + second_step * second
struct DimensionRelation {
    std::string name;
    int first = 0;  ///< dimension, usually an output one
    std::int64_t first_step = 1;
    int second = 0;  ///< dimension, usually a filter one
    std::int64_t second_step = 1;
    std::int64_t padding = 0;  ///< both sides together; not counted in `size`
    std::int64_t size = 0;     ///< given, or 0: derive() sets the full extent less the padding

    bool operator==(const DimensionRelation&) const = default;
};

/// One axis of an operand: a dimension or a window.
struct Axis {
    bool windowed = false;
    int index = 0;

    bool operator==(const Axis&) const = default;
};

struct Operand {
    std::string name;
    MemoryOperand memory = MemoryOperand::o;
    std::int64_t precision_bits = 8;        ///< of partial sums for the result
    std::int64_t final_precision_bits = 8;  ///< differs for the result only
    std::vector<Axis> axes;

    // --- filled in by derive() ---
    std::vector<int>
        relevant_axes;  ///< dimensions with product (windows included) equal to the size; in the order of `axes`
    DimensionSet relevant;
    DimensionSet irrelevant;
    bool windowed = false;
    std::int64_t elements = 0;

    bool is_result() const { return memory == MemoryOperand::o; }
    bool operator==(const Operand&) const = default;
};

/// Tile sizes by dimension; fractions come from fractional unrolling.
using TileSizes = std::array<double, kMaxDimensions>;

struct Layer {
    std::string name;
    std::string operator_type;  ///< "Conv": selects a mapping file's entry
    std::vector<Dimension> dimensions;
    std::vector<DimensionRelation> windows;
    std::vector<Operand> operands;  ///< the result first, then one or two inputs in equation order

    std::int64_t operations = 0;  ///< multiply-accumulates; filled in by derive()

    int dimension_count() const { return static_cast<int>(dimensions.size()); }
    int operand_count() const { return static_cast<int>(operands.size()); }
    const Operand& result() const { return operands.front(); }
    bool operator==(const Layer&) const = default;
};

/// Index of the named dimension, or -1.
int find_dimension(const Layer& layer, std::string_view name);
/// Index of the operand under this memory name, or -1.
int find_operand(const Layer& layer, MemoryOperand operand);

/// Fills in sizes and relevance. Requires operands and windows over the layer's dimensions. Throws OverflowError.
void derive(Layer& layer);

/// Reason why a layer is malformed, or "".
std::string problem_with(const Layer& layer);

/// The tile of one iteration.
TileSizes unit_tile();

/// Distinct positions of a window for a tile, without skipped rows; dilation as in ZigZag (an overcount if it exceeds
/// the tile). Fractional sizes are truncated.
std::int64_t distinct_positions(const DimensionRelation& window, const TileSizes& tile);

/// min(window.size, distinct_positions())
std::int64_t positions(const DimensionRelation& window, const TileSizes& tile);

double tile_elements(const Layer& layer, const Operand& operand, const TileSizes& tile);

}  // namespace tilewright::zigzag
