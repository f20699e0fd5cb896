// Convolutions. Spatial axes are ([D,] H,) W: the last is the width, so a 1-D convolution lies along P and R.
#include "onnx/operators/lower.hpp"
#include "onnx/operators/window.hpp"
#include "workload/shapes.hpp"

namespace tilewright::onnx {
namespace {

constexpr std::size_t kMostSpatialAxes = 3;

Convolution shape_of(const SlidingKernel& window, std::int64_t in_channels, std::int64_t out_channels) {
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

NotMapped too_many_axes(const SlidingKernel& window) {
    return {"a convolution over " + std::to_string(window.axes.size()) + " spatial axes; at most " +
            std::to_string(kMostSpatialAxes) + " are mapped"};
}

Lowered lower_forward(const Operator& op, int weights) {
    const SlidingKernel window = convolution_window(op, 0, weights);
    if (window.axes.size() > kMostSpatialAxes) return too_many_axes(window);
    return Contraction{convolution(shape_of(window, window.weights[1], window.weights[0] / window.groups)),
                       {weights, 0}};
}

}  // namespace

Lowered lower_conv(const Operator& op) { return lower_forward(op, 1); }

Lowered lower_qlinear_conv(const Operator& op) { return lower_forward(op, 3); }

Lowered lower_conv_transpose(const Operator& op) {
    const SlidingKernel window = transposed_window(op);
    if (window.axes.size() > kMostSpatialAxes) return too_many_axes(window);
    return Contraction{transposed_convolution(shape_of(window, window.input[1] / window.groups, window.weights[1])),
                       {1, 0}};
}

}  // namespace tilewright::onnx
