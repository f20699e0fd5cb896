// Convolutions. Spatial axes come as ([D,] H,) W: the last is the width, so a 1-D convolution lies along P and R.
#include <algorithm>

#include "base/checked.hpp"
#include "frontend/onnx/lower.hpp"
#include "workload/shapes.hpp"

namespace tilewright::onnx {
namespace {

constexpr std::size_t kMostSpatialAxes = 3;

/// Everything about the node but the number of positions of the window.
struct Window {
    Extents input;
    Extents weights;
    std::int64_t groups = 1;
    std::vector<WindowAxis> axes;  ///< in the order of the model
    std::vector<std::int64_t> pads;
    std::string auto_pad;
};

Extents spatial(const Extents& shape) { return {shape.begin() + 2, shape.end()}; }

void check_ranks(const Operator& op, const Window& window) {
    if (window.input.size() < 3)
        op.fail(ErrorCode::bad_value,
                "its input has shape " + shape_text(window.input) + "; expected [N, C, spatial axes...]");
    if (window.weights.size() != window.input.size())
        op.fail(ErrorCode::bad_value, "its weights have shape " + shape_text(window.weights) + ", its input " +
                                          shape_text(window.input) + "; expected as many axes");
}

void check_kernel(const Operator& op, const Attributes& attributes, const Window& window) {
    if (!attributes.has("kernel_shape")) return;
    const Extents kernel = attributes.integers("kernel_shape", window.input.size() - 2, 1, 1);
    if (kernel != spatial(window.weights))
        op.fail(ErrorCode::bad_value, "kernel_shape " + shape_text(kernel) + " does not match its weights' shape " +
                                          shape_text(window.weights));
}

Window read_window(const Operator& op, int input, int weights, const Attributes& attributes) {
    Window window{op.input(input), op.input(weights), 1, {}, {}, {}};
    check_ranks(op, window);
    check_kernel(op, attributes, window);
    const std::size_t count = window.input.size() - 2;
    const auto strides = attributes.integers("strides", count, 1, 1);
    const auto dilations = attributes.integers("dilations", count, 1, 1);
    window.pads = attributes.integers("pads", 2 * count, 0, 0);
    window.auto_pad = attributes.text("auto_pad", "NOTSET");
    window.groups = attributes.integer("group", 1);
    if (window.groups < 1 || window.input[1] % window.groups != 0)
        op.fail(ErrorCode::bad_value, "group " + std::to_string(window.groups) + " does not divide its " +
                                          std::to_string(window.input[1]) + " input channels");
    for (std::size_t i = 0; i < count; ++i)
        window.axes.push_back(
            {.positions = 1, .kernel = window.weights[i + 2], .stride = strides[i], .dilation = dilations[i]});
    return window;
}

/// How many places a window takes along an axis of the padded input.
std::int64_t positions(const Operator& op, const Window& window, std::size_t axis) {
    const WindowAxis& a = window.axes[axis];
    const std::int64_t extent = window.input[axis + 2];
    if (window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER") return ceil_div(extent, a.stride);
    std::int64_t padded = extent;
    if (window.auto_pad == "NOTSET")
        padded = checked_add(padded, checked_add(window.pads[axis], window.pads[axis + window.axes.size()]));
    else if (window.auto_pad != "VALID")
        op.fail(ErrorCode::bad_value,
                "auto_pad is " + in_quotes(window.auto_pad) + "; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    const std::int64_t reach = checked_add(checked_mul(a.kernel - 1, a.dilation), 1);
    if (reach > padded)
        op.fail(ErrorCode::bad_value, "its kernel spans " + std::to_string(reach) + " but the padded input only " +
                                          std::to_string(padded) + " along spatial axis " + std::to_string(axis));
    return (padded - reach) / a.stride + 1;
}

Convolution shape_of(const Window& window, std::int64_t in_channels, std::int64_t out_channels) {
    Convolution shape{.batch = window.input[0],
                      .groups = window.groups,
                      .in_channels = in_channels,
                      .out_channels = out_channels,
                      .width = window.axes.back(),
                      .height = {}};
    if (window.axes.size() >= 2) shape.height = window.axes[window.axes.size() - 2];
    if (window.axes.size() == 3) shape.depth = window.axes[0];
    return shape;
}

NotMapped too_many_axes(const Window& window) {
    return {"a convolution over " + std::to_string(window.axes.size()) + " spatial axes; at most " +
            std::to_string(kMostSpatialAxes) + " are mapped"};
}

Lowered lower_forward(const Operator& op, int input, int weights) {
    const Attributes attributes(op.node(), op.file(),
                                {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
    Window window = read_window(op, input, weights, attributes);
    if (window.weights[1] != window.input[1] / window.groups)
        op.fail(ErrorCode::bad_value, "its weights " + shape_text(window.weights) + " read " +
                                          std::to_string(window.weights[1]) + " channels per group; its input has " +
                                          std::to_string(window.input[1]) + " in " + std::to_string(window.groups) +
                                          " group(s)");
    if (window.weights[0] % window.groups != 0)
        op.fail(ErrorCode::bad_value, "group " + std::to_string(window.groups) + " does not divide its " +
                                          std::to_string(window.weights[0]) + " output channels");
    for (std::size_t axis = 0; axis < window.axes.size(); ++axis)
        window.axes[axis].positions = positions(op, window, axis);
    if (window.axes.size() > kMostSpatialAxes) return too_many_axes(window);
    return convolution(shape_of(window, window.weights[1], window.weights[0] / window.groups));
}

}  // namespace

Lowered lower_conv(const Operator& op) { return lower_forward(op, 0, 1); }

Lowered lower_qlinear_conv(const Operator& op) { return lower_forward(op, 0, 3); }

Lowered lower_conv_transpose(const Operator& op) {
    const Attributes attributes(
        op.node(), op.file(),
        {"auto_pad", "dilations", "group", "kernel_shape", "output_padding", "output_shape", "pads", "strides"});
    Window window = read_window(op, 0, 1, attributes);
    if (window.weights[0] != window.input[1])
        op.fail(ErrorCode::bad_value, "its weights " + shape_text(window.weights) + " read " +
                                          std::to_string(window.weights[0]) + " channels; its input has " +
                                          std::to_string(window.input[1]));
    for (std::size_t axis = 0; axis < window.axes.size(); ++axis) window.axes[axis].positions = window.input[axis + 2];
    if (window.axes.size() > kMostSpatialAxes) return too_many_axes(window);
    return transposed_convolution(shape_of(window, window.input[1] / window.groups, window.weights[1]));
}

}  // namespace tilewright::onnx
