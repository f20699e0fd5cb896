// Windows and reductions.
#include <algorithm>
#include <set>

#include "onnx/cascade/draft.hpp"
#include "onnx/graph/messages.hpp"
#include "onnx/operators/window.hpp"

namespace tilewright::onnx {
namespace {

using enum OperationClass;

bool starts_with(const std::string& text, const char* begin) { return text.starts_with(begin); }

std::vector<OperationCount> operations_of_reduction(const std::string& type) {
    if (type == "ReduceL2" || type == "ReduceSumSquare" || type == "GlobalLpPool" || type == "LpPool")
        return {{multiply, 1}, {add, 1}};
    if (type == "ReduceProd") return {{multiply, 1}};
    if (type == "ReduceLogSumExp") return {{exponential, 1}, {add, 1}};
    return {{add, 1}};
}

// Result axes shared with the input; the others are reduced to one place, or gone.
bool reduced_axes(const Operator& op, const Extents& input, const Extents& result, std::set<std::size_t>& axes) {
    if (result.size() == input.size()) {
        for (std::size_t axis = 0; axis < input.size(); ++axis)
            if (input[axis] != result[axis]) axes.insert(axis);
        return true;
    }
    const Attributes attributes(op.node(), op.file());
    if (result.empty()) {
        for (std::size_t axis = 0; axis < input.size(); ++axis) axes.insert(axis);
        return true;
    }
    if (attributes.has("axis") || starts_with(op.node().op_type(), "Arg")) {
        const std::int64_t axis = attributes.integer("axis", 0);
        axes.insert(static_cast<std::size_t>(axis < 0 ? axis + std::ssize(input) : axis));
        return *axes.begin() < input.size();
    }
    if (!attributes.has("axes")) return false;
    const std::size_t count = input.size() - result.size();
    for (const std::int64_t axis : attributes.integers("axes", count, -std::ssize(input), 0))
        axes.insert(static_cast<std::size_t>(axis < 0 ? axis + std::ssize(input) : axis));
    return axes.size() == count && *axes.rbegin() < input.size();
}

bool add_reduction(const Operator& op, const Shapes& shapes, Values& values) {
    const std::optional<Extents> result = shapes.of(op.node().output(0));
    const Extents input = op.input(0);
    std::set<std::size_t> axes;
    if (!result || !reduced_axes(op, input, *result, axes)) return false;
    const bool window = starts_with(op.node().op_type(), "Global");
    Draft draft(values, name_of(op.node()), op.node().op_type(), window ? EinsumKind::pooling : EinsumKind::statistics,
                operations_of_reduction(op.node().op_type()));
    const std::vector<int> dimensions = draft.dimensions(input);
    std::vector<int> kept;
    for (std::size_t axis = 0; axis < input.size(); ++axis) {
        const bool reduced = axes.contains(axis);
        if (!reduced || result->size() == input.size()) kept.push_back(reduced ? -1 : dimensions[axis]);
    }
    draft.read(values.of(op.node().input(0)), places_along(dimensions));
    const int tensor = values.make(op.node().output(0), *result);
    draft.write(tensor, places_along(kept));
    draft.finish();
    values.set(op.node().output(0), values.whole(tensor));
    return true;
}

// N, G and the spatial axes, named as in convolutions: the last is the width.
bool add_window(const Operator& op, const Shapes& shapes, Values& values) {
    const std::optional<Extents> result = shapes.of(op.node().output(0));
    const std::optional<SlidingKernel> window = pooling_window(op);
    if (!result || !window || window->axes.size() > 3) return false;
    Draft draft(values, name_of(op.node()), op.node().op_type(), EinsumKind::pooling,
                operations_of_reduction(op.node().op_type()));
    const std::vector<std::string> positions{"P", "Q", "Z"};
    const std::vector<std::string> kernels{"R", "S", "T"};
    const std::size_t count = window->axes.size();
    std::vector<Coordinate> places =
        places_along({draft.dimension("N", (*result)[0]), draft.dimension("G", (*result)[1])});
    std::vector<Coordinate> written = places;
    for (std::size_t i = 0; i < count; ++i) {
        const WindowAxis& axis = window->axes[i];
        const int position = draft.dimension(positions[count - 1 - i], (*result)[i + 2]);
        const int kernel = draft.dimension(kernels[count - 1 - i], axis.kernel);
        places.push_back({{{position, axis.stride}, {kernel, axis.dilation}}, -padding_before(*window, i)});
        written.push_back({{{position, 1}}, 0});
    }
    draft.read(values.of(op.node().input(0)), places);
    const int tensor = values.make(op.node().output(0), *result);
    draft.write(tensor, written);
    draft.finish();
    values.set(op.node().output(0), values.whole(tensor));
    return true;
}

}  // namespace

bool add_pooling(const Operator& op, const Shapes& shapes, Values& values) {
    const std::string& type = op.node().op_type();
    if (op.node().input_size() < 1 || op.node().output_size() < 1) return false;
    if (type == "MaxPool" || type == "AveragePool" || type == "LpPool") return add_window(op, shapes, values);
    if (starts_with(type, "Reduce") || starts_with(type, "Global") || starts_with(type, "Arg"))
        return add_reduction(op, shapes, values);
    return false;
}

}  // namespace tilewright::onnx
