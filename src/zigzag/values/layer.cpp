#include "zigzag/values/layer.hpp"

#include <algorithm>
#include <numeric>

#include "base/numbers/checked.hpp"

namespace tilewright::zigzag {
namespace {

// Element counts must stay exact in a double.
constexpr std::int64_t kMostOperations = std::int64_t{1} << 53;

DimensionSet windowed_dimensions(const Layer& layer) {
    DimensionSet inside;
    for (const DimensionRelation& window : layer.windows) {
        inside.add(window.first);
        inside.add(window.second);
    }
    return inside;
}

bool mentions(const Operand& operand, int dimension) {
    return std::any_of(operand.axes.begin(), operand.axes.end(),
                       [&](const Axis& axis) { return !axis.windowed && axis.index == dimension; });
}

TileSizes full_tile(const Layer& layer) {
    TileSizes tile = unit_tile();
    for (int d = 0; d < layer.dimension_count(); ++d) tile[d] = static_cast<double>(layer.dimensions[d].extent);
    return tile;
}

void derive(const Layer& layer, Operand& operand) {
    operand.windowed =
        std::any_of(operand.axes.begin(), operand.axes.end(), [](const Axis& axis) { return axis.windowed; });
    const DimensionSet inside = operand.windowed ? windowed_dimensions(layer) : DimensionSet{};
    operand.relevant_axes.clear();
    operand.relevant = {};
    operand.irrelevant = {};
    for (const Axis& axis : operand.axes) {
        if (axis.windowed || inside.has(axis.index)) continue;
        if (!operand.windowed && layer.dimensions[axis.index].extent == 1) continue;
        operand.relevant_axes.push_back(axis.index);
        operand.relevant.add(axis.index);
    }
    for (int d = 0; d < layer.dimension_count(); ++d)
        if (layer.dimensions[d].extent != 1 && !inside.has(d) && !mentions(operand, d)) operand.irrelevant.add(d);
    operand.elements = static_cast<std::int64_t>(tile_elements(layer, operand, full_tile(layer)));
}

}  // namespace

std::string_view name_of(MemoryOperand operand) {
    switch (operand) {
        case MemoryOperand::i1: return "I1";
        case MemoryOperand::i2: return "I2";
        case MemoryOperand::o: break;
    }
    return "O";
}

int find_dimension(const Layer& layer, std::string_view name) {
    for (int d = 0; d < layer.dimension_count(); ++d)
        if (layer.dimensions[d].name == name) return d;
    return -1;
}

int find_operand(const Layer& layer, MemoryOperand operand) {
    for (int i = 0; i < layer.operand_count(); ++i)
        if (layer.operands[i].memory == operand) return i;
    return -1;
}

void derive(Layer& layer) {
    layer.operations = 1;
    for (const Dimension& dimension : layer.dimensions)
        layer.operations = checked_mul(layer.operations, dimension.extent);
    if (layer.operations > kMostOperations) throw OverflowError();
    for (DimensionRelation& window : layer.windows)
        if (window.size == 0) window.size = distinct_positions(window, full_tile(layer)) - window.padding;
    for (Operand& operand : layer.operands) derive(layer, operand);
}

std::string problem_with(const Layer& layer) {
    if (layer.dimensions.empty()) return "it has no loop dimension";
    if (layer.dimension_count() > kMaxDimensions)
        return "more than " + std::to_string(kMaxDimensions) + " loop dimensions are not supported";
    for (const Dimension& dimension : layer.dimensions)
        if (dimension.extent < 1) return "dimension '" + dimension.name + "' has no iteration";
    if (layer.operand_count() < 2 || layer.operand_count() > kMemoryOperands) return "it needs one or two inputs";
    if (!layer.result().is_result()) return "its result is not linked to the memory operand O";
    for (int i = 0; i < layer.operand_count(); ++i)
        if (find_operand(layer, layer.operands[i].memory) != i)
            return "two operands are linked to the memory operand " + std::string(name_of(layer.operands[i].memory));
    if (layer.result().windowed) return "its result is addressed through a sliding window";
    for (const DimensionRelation& window : layer.windows)
        if (window.size < 1) return "the padding of '" + window.name + "' leaves nothing of it";
    return "";
}

TileSizes unit_tile() {
    TileSizes tile;
    tile.fill(1.0);
    return tile;
}

std::int64_t distinct_positions(const DimensionRelation& window, const TileSizes& tile) {
    const auto a = static_cast<std::int64_t>(tile[window.first]);
    const auto b = static_cast<std::int64_t>(tile[window.second]);
    const std::int64_t common = std::gcd(window.first_step, window.second_step);
    const std::int64_t repeated = std::max<std::int64_t>(0, b - window.first_step / common);
    return checked_add(checked_mul(a, b), -checked_mul(repeated, a - window.second_step / common));
}

std::int64_t positions(const DimensionRelation& window, const TileSizes& tile) {
    return std::min(window.size, distinct_positions(window, tile));
}

double tile_elements(const Layer& layer, const Operand& operand, const TileSizes& tile) {
    double elements = 1.0;
    for (const int dimension : operand.relevant_axes) elements *= tile[dimension];
    if (operand.windowed)
        for (const DimensionRelation& window : layer.windows) elements *= static_cast<double>(positions(window, tile));
    return elements;
}

}  // namespace tilewright::zigzag
