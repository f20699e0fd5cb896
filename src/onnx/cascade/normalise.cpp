// Normalisations as passes: row statistics, then an element-wise pass.
#include <algorithm>
#include <set>

#include "onnx/cascade/draft.hpp"
#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {
namespace {

using enum OperationClass;

struct Passes {
    std::vector<OperationCount> statistics;
    std::vector<OperationCount> each;
    int kept = 1;  ///< words for each row
    bool online = false;
};

// Softmax keeps maximum and sum; others mean and deviation, or a mean square.
Passes passes_of(const std::string& type) {
    if (type == "Softmax" || type == "LogSoftmax" || type == "Hardmax")
        return {{{add, 3}, {exponential, 1}}, {{add, 1}, {exponential, 1}, {multiply, 1}}, 2, true};
    if (type == "RMSNormalization" || type == "SimplifiedLayerNormalization" || type == "LpNormalization")
        return {{{multiply, 1}, {add, 1}}, {{multiply, 2}}, 1, false};
    return {{{multiply, 1}, {add, 2}}, {{add, 2}, {multiply, 2}}, 2, false};
}

// The axes of a row; false for other operators.
bool row_axes(const Operator& op, std::size_t rank, std::set<std::size_t>& axes) {
    const std::string& type = op.node().op_type();
    const Attributes attributes(op.node(), op.file());
    const auto wrapped = [&](std::int64_t axis) {
        return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
    };
    const bool softmax = type == "Softmax" || type == "LogSoftmax" || type == "Hardmax";
    const bool layer =
        type == "LayerNormalization" || type == "RMSNormalization" || type == "SimplifiedLayerNormalization";
    if (type == "InstanceNormalization") {
        for (std::size_t axis = 2; axis < rank; ++axis) axes.insert(axis);
        return rank > 2;
    }
    if (!softmax && !layer && type != "LpNormalization") return false;
    const std::size_t axis = wrapped(attributes.integer("axis", -1));
    if (axis >= rank) return false;
    axes.insert(axis);
    if (layer)
        for (std::size_t more = axis + 1; more < rank; ++more) axes.insert(more);
    return true;
}

// One sum of squares per place, over a window of channels; then x / (bias + alpha * sum) ^ beta.
bool add_lrn(const Operator& op, Values& values) {
    const Extents shape = op.input(0);
    const std::int64_t size = Attributes(op.node(), op.file()).integer("size", 1);
    if (shape.size() < 2 || size < 1) return false;
    const Value from = values.of(op.node().input(0));
    const int sums = values.make(op.node().output(0) + ".sums", shape);
    Draft pass(values, name_of(op.node()) + ".statistics", op.node().op_type(), EinsumKind::pooling,
               {{multiply, 1}, {add, 1}});
    std::vector<Coordinate> places = places_along(pass.dimensions(shape));
    const std::vector<Coordinate> written = places;
    places[1].terms.push_back({pass.dimension("window", size), 1});
    places[1].offset = -((size - 1) / 2);
    pass.read(from, places);
    pass.write(sums, written);
    pass.finish();
    Draft each(values, name_of(op.node()), op.node().op_type(), EinsumKind::elementwise,
               {{multiply, 2}, {add, 1}, {exponential, 2}});
    const std::vector<Coordinate> all = places_along(each.dimensions(shape));
    const int result = values.make(op.node().output(0), shape);
    each.read(from, all);
    each.read(values.whole(sums), all);
    each.write(result, all);
    each.finish();
    values.set(op.node().output(0), values.whole(result));
    return true;
}

std::vector<int> without(const std::vector<int>& dimensions, const std::set<std::size_t>& axes) {
    std::vector<int> rows;
    for (std::size_t axis = 0; axis < dimensions.size(); ++axis)
        if (!axes.contains(axis)) rows.push_back(dimensions[axis]);
    return rows;
}

// Scale and shift, one word per row element or per channel.
void read_factors(const Operator& op, Values& values, Draft& each, const std::vector<int>& dimensions) {
    for (const int factor : {1, 2}) {
        if (!op.has_input(factor) || !op.knows_input(factor)) continue;
        const Extents own = op.input(factor);
        if (op.node().op_type() == "InstanceNormalization")
            read_per_channel(op, factor, values, each, dimensions[1]);
        else if (own.size() <= dimensions.size())
            each.read(values.of(op.node().input(factor)), broadcast_places(own, dimensions));
    }
}

}  // namespace

bool add_normalisation(const Operator& op, const Shapes& shapes, Values& values) {
    static_cast<void>(shapes);
    if (op.node().op_type() == "LRN") return add_lrn(op, values);
    if (op.node().input_size() < 1 || op.node().output_size() < 1) return false;
    const Extents shape = op.input(0);
    std::set<std::size_t> axes;
    if (!row_axes(op, shape.size(), axes)) return false;
    const Passes passes = passes_of(op.node().op_type());
    const Value from = values.of(op.node().input(0));
    Draft pass(values, name_of(op.node()) + ".statistics", op.node().op_type(), EinsumKind::statistics,
               passes.statistics);
    const std::vector<int> dimensions = pass.dimensions(shape);
    const std::vector<int> rows = without(dimensions, axes);
    Extents row_shape;
    for (const int row : rows) row_shape.push_back(shape[row]);
    pass.read(from, places_along(dimensions));
    std::vector<int> kept;
    for (int i = 0; i < passes.kept; ++i) {
        kept.push_back(values.make(op.node().output(0) + ".statistic" + std::to_string(i + 1), row_shape));
        pass.write(kept.back(), places_along(rows));
    }
    if (passes.online) pass.online();
    pass.finish();
    Draft each(values, name_of(op.node()), op.node().op_type(), EinsumKind::elementwise, passes.each);
    const std::vector<int> again = each.dimensions(shape);
    each.read(from, places_along(again));
    for (const int statistic : kept) each.read(values.whole(statistic), places_along(without(again, axes)));
    if (!passes.online) read_factors(op, values, each, again);
    const int result = values.make(op.node().output(0), shape);
    each.write(result, places_along(again));
    each.finish();
    values.set(op.node().output(0), values.whole(result));
    return true;
}

}  // namespace tilewright::onnx
