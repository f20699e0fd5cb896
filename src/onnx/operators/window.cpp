#include "onnx/operators/window.hpp"

#include <algorithm>
#include <set>

#include "base/numbers/checked.hpp"

namespace tilewright::onnx {
namespace {

Extents spatial(const Extents& shape) { return {shape.begin() + 2, shape.end()}; }

void check_ranks(const Operator& op, const SlidingKernel& window) {
    if (window.input.size() < 3)
        op.fail(ErrorCode::bad_value,
                "its input has shape " + shape_text(window.input) + "; expected [N, C, spatial axes...]");
    if (!window.weights.empty() && window.weights.size() != window.input.size())
        op.fail(ErrorCode::bad_value, "its weights have shape " + shape_text(window.weights) + ", its input " +
                                          shape_text(window.input) + "; expected as many axes");
}

/// The kernel's extents: the weights', else the attribute's.
Extents kernel_of(const Operator& op, const Attributes& attributes, const SlidingKernel& window) {
    const bool stated = attributes.has("kernel_shape");
    if (window.weights.empty() && !stated) op.fail(ErrorCode::missing_key, "attribute 'kernel_shape' is missing");
    if (!stated) return spatial(window.weights);
    const Extents kernel = attributes.integers("kernel_shape", window.input.size() - 2, 1, 1);
    if (!window.weights.empty() && kernel != spatial(window.weights))
        op.fail(ErrorCode::bad_value, "kernel_shape " + shape_text(kernel) + " does not match its weights' shape " +
                                          shape_text(window.weights));
    return kernel;
}

SlidingKernel read_window(const Operator& op, const Attributes& attributes, Extents input, Extents weights) {
    SlidingKernel window{std::move(input), std::move(weights), 1, {}, {}, {}};
    check_ranks(op, window);
    const std::size_t count = window.input.size() - 2;
    const Extents kernel = kernel_of(op, attributes, window);
    const auto strides = attributes.integers("strides", count, 1, 1);
    const auto dilations = attributes.integers("dilations", count, 1, 1);
    window.pads = attributes.integers("pads", 2 * count, 0, 0);
    window.auto_pad = attributes.text("auto_pad", "NOTSET");
    if (window.auto_pad.empty()) window.auto_pad = "NOTSET";
    static const std::set<std::string> kAutoPads{"NOTSET", "SAME_LOWER", "SAME_UPPER", "VALID"};
    if (!kAutoPads.contains(window.auto_pad))
        op.fail(ErrorCode::bad_value,
                "auto_pad is " + in_quotes(window.auto_pad) + "; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    window.groups = attributes.integer("group", 1);
    if (window.groups < 1 || window.input[1] % window.groups != 0)
        op.fail(ErrorCode::bad_value, "group " + std::to_string(window.groups) + " does not divide its " +
                                          std::to_string(window.input[1]) + " input channels");
    for (std::size_t i = 0; i < count; ++i)
        window.axes.push_back({.positions = 1, .kernel = kernel[i], .stride = strides[i], .dilation = dilations[i]});
    return window;
}

bool is_same(const SlidingKernel& window) { return window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER"; }

/// Input steps spanned by the dilated kernel.
std::int64_t reach_of(const WindowAxis& axis) { return checked_add(checked_mul(axis.kernel - 1, axis.dilation), 1); }

std::int64_t pads_of(const SlidingKernel& window, std::size_t axis) {
    return window.auto_pad == "NOTSET" ? checked_add(window.pads[axis], window.pads[axis + window.axes.size()]) : 0;
}

/// Window positions along an axis of the padded input.
std::int64_t positions(const Operator& op, const SlidingKernel& window, std::size_t axis, bool round_up) {
    const WindowAxis& a = window.axes[axis];
    const std::int64_t extent = window.input[axis + 2];
    if (is_same(window)) return ceil_div(extent, a.stride);
    const std::int64_t padded = checked_add(extent, pads_of(window, axis));
    const std::int64_t reach = reach_of(a);
    if (reach > padded)
        op.fail(ErrorCode::bad_value, "its kernel spans " + std::to_string(reach) + " but the padded input only " +
                                          std::to_string(padded) + " along spatial axis " + std::to_string(axis));
    if (!round_up) return (padded - reach) / a.stride + 1;
    // A last window starting behind the input sees only padding and does not count.
    const std::int64_t steps = ceil_div(padded - reach, a.stride);
    const std::int64_t before = window.auto_pad == "NOTSET" ? window.pads[axis] : 0;
    return steps > 0 && checked_mul(steps, a.stride) >= checked_add(extent, before) ? steps : steps + 1;
}

void set_positions(const Operator& op, SlidingKernel& window, bool round_up) {
    for (std::size_t axis = 0; axis < window.axes.size(); ++axis)
        window.axes[axis].positions = positions(op, window, axis, round_up);
}

Extents with_positions(std::int64_t batch, std::int64_t channels, const SlidingKernel& window) {
    Extents result{batch, channels};
    for (const WindowAxis& axis : window.axes) result.push_back(axis.positions);
    return result;
}

Extents transposed_result(const Operator& op) {
    const Attributes attributes(op.node(), op.file());
    const SlidingKernel window = transposed_window(op);
    Extents result{window.input[0], checked_mul(window.weights[1], window.groups)};
    const std::size_t count = window.axes.size();
    const auto extra = attributes.integers("output_padding", count, 0, 0);
    const Extents stated =
        attributes.has("output_shape") ? attributes.integers("output_shape", count, 1, 1) : Extents();
    for (std::size_t i = 0; i < count; ++i) {
        const WindowAxis& axis = window.axes[i];
        const std::int64_t scattered = checked_add(checked_mul(axis.positions - 1, axis.stride), reach_of(axis));
        const std::int64_t cropped = checked_add(checked_add(scattered, extra[i]), -pads_of(window, i));
        result.push_back(!stated.empty()   ? stated[i]
                         : is_same(window) ? checked_mul(axis.positions, axis.stride)
                                           : cropped);
        if (result.back() < 1)
            op.fail(ErrorCode::bad_value, "its padding leaves nothing along spatial axis " + std::to_string(i));
    }
    return result;
}

Extents pooling_result(const Operator& op) {
    const Attributes attributes(op.node(), op.file());
    SlidingKernel window = read_window(op, attributes, op.input(0), {});
    set_positions(op, window, attributes.integer("ceil_mode", 0) != 0);
    return with_positions(window.input[0], window.input[1], window);
}

Extents global_result(const Operator& op) {
    Extents result = op.input(0);
    if (result.size() < 2)
        op.fail(ErrorCode::bad_value,
                "its input has shape " + shape_text(result) + "; expected [N, C, spatial axes...]");
    std::fill(result.begin() + 2, result.end(), 1);
    return result;
}

Extents convolution_result(const Operator& op, int input, int weights) {
    const SlidingKernel window = convolution_window(op, input, weights);
    return with_positions(window.input[0], window.weights[0], window);
}

bool is_any_of(const std::string& name, std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

SlidingKernel convolution_window(const Operator& op, int input, int weights) {
    const Attributes attributes =
        op.node().op_type() == "FusedConv"  // with an activation
            ? Attributes(op.node(), op.file())
            : Attributes(op.node(), op.file(), {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
    const Extents read = op.input(input);  // the first mistake is that of the first input
    SlidingKernel window = read_window(op, attributes, read, op.input(weights));
    if (window.weights[1] != window.input[1] / window.groups)
        op.fail(ErrorCode::bad_value, "its weights " + shape_text(window.weights) + " read " +
                                          std::to_string(window.weights[1]) + " channels per group; its input has " +
                                          std::to_string(window.input[1]) + " in " + std::to_string(window.groups) +
                                          " group(s)");
    if (window.weights[0] % window.groups != 0)
        op.fail(ErrorCode::bad_value, "group " + std::to_string(window.groups) + " does not divide its " +
                                          std::to_string(window.weights[0]) + " output channels");
    set_positions(op, window, false);
    return window;
}

SlidingKernel transposed_window(const Operator& op) {
    const Attributes attributes(
        op.node(), op.file(),
        {"auto_pad", "dilations", "group", "kernel_shape", "output_padding", "output_shape", "pads", "strides"});
    const Extents read = op.input(0);
    SlidingKernel window = read_window(op, attributes, read, op.input(1));
    if (window.weights[0] != window.input[1])
        op.fail(ErrorCode::bad_value, "its weights " + shape_text(window.weights) + " read " +
                                          std::to_string(window.weights[0]) + " channels; its input has " +
                                          std::to_string(window.input[1]));
    for (std::size_t axis = 0; axis < window.axes.size(); ++axis) window.axes[axis].positions = window.input[axis + 2];
    return window;
}

std::optional<SlidingKernel> pooling_window(const Operator& op) {
    const std::string& type = op.node().op_type();
    if (!is_any_of(type, {"AveragePool", "LpPool", "MaxPool"}) || !op.knows_input(0)) return std::nullopt;
    const Attributes attributes(op.node(), op.file());
    SlidingKernel window = read_window(op, attributes, op.input(0), {});
    set_positions(op, window, attributes.integer("ceil_mode", 0) != 0);
    return window;
}

std::int64_t padding_before(const SlidingKernel& window, std::size_t axis) {
    if (window.auto_pad == "NOTSET") return window.pads[axis];
    if (!is_same(window)) return 0;
    const WindowAxis& a = window.axes[axis];
    const std::int64_t needed =
        checked_add(checked_mul(ceil_div(window.input[axis + 2], a.stride) - 1, a.stride), reach_of(a));
    const std::int64_t all = std::max<std::int64_t>(needed - window.input[axis + 2], 0);
    return window.auto_pad == "SAME_UPPER" ? all / 2 : all - all / 2;
}

bool has_window(const pb::NodeProto& node) {
    return is_any_of(node.op_type(),
                     {"AveragePool", "Conv", "ConvInteger", "ConvTranspose", "FusedConv", "GlobalAveragePool",
                      "GlobalLpPool", "GlobalMaxPool", "LpPool", "MaxPool", "QLinearConv"});
}

std::optional<Extents> window_result(const Operator& op) {
    const std::string& type = op.node().op_type();
    const int weights = type == "QLinearConv"                                                    ? 3
                        : is_any_of(type, {"Conv", "ConvInteger", "ConvTranspose", "FusedConv"}) ? 1
                                                                                                 : 0;
    if (!has_window(op.node()) || !op.knows_input(0) || !op.knows_input(weights)) return std::nullopt;
    if (type == "ConvTranspose") return transposed_result(op);
    if (weights > 0) return convolution_result(op, 0, weights);
    return type.starts_with("Global") ? global_result(op) : pooling_result(op);
}

}  // namespace tilewright::onnx
