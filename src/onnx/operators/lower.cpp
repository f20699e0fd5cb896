#include "onnx/operators/lower.hpp"

#include <map>

#include "base/numbers/checked.hpp"
#include "onnx/graph/graph.hpp"
#include "onnx/operators/fused.hpp"
#include "onnx/operators/microsoft.hpp"
#include "onnx/operators/window.hpp"
#include "workload/shapes.hpp"

namespace tilewright::onnx {
namespace {

using LowerFunction = Lowered (*)(const Operator&);

const std::map<std::string, LowerFunction>& contractions() {
    static const std::map<std::string, LowerFunction> kContractions{
        {"Conv", lower_conv},
        {"ConvInteger", lower_conv},
        {"QLinearConv", lower_qlinear_conv},
        {"Gemm", lower_gemm},
        {"MatMul", lower_matmul},
        {"MatMulInteger", lower_matmul},
        {"Einsum", lower_einsum},
        {"QLinearMatMul", lower_qlinear_matmul},
        {"ConvTranspose", lower_conv_transpose},
        {"Attention", lower_attention},
        {"LSTM", lower_recurrent},
        {"GRU", lower_recurrent},
        {"RNN", lower_recurrent},
    };
    return kContractions;
}

/// Of ONNX Runtime's domain com.microsoft.
const std::map<std::string, LowerFunction>& contractions_of_microsoft() {
    static const std::map<std::string, LowerFunction> kContractions{
        {"Attention", lower_microsoft_attention},
        {"MultiHeadAttention", lower_multi_head_attention},
        {"GroupQueryAttention", lower_group_query_attention},
        {"QAttention", lower_microsoft_attention},
        {"MatMulNBits", lower_matmul_nbits},
        {"FusedConv", lower_conv},
        {"FusedGemm", lower_gemm},
        {"FusedMatMul", lower_fused_matmul},
        {"DynamicQuantizeMatMul", lower_dynamic_matmul},
        {"MatMulIntegerToFloat", lower_matmul},
    };
    return kContractions;
}

LowerFunction contraction_of(const pb::NodeProto& node) {
    if (!is_standard_domain(node.domain()) && !is_microsoft(node)) return nullptr;
    const auto& all = is_microsoft(node) ? contractions_of_microsoft() : contractions();
    const auto found = all.find(node.op_type());
    return found == all.end() ? nullptr : found->second;
}

/// The evaluators multiply these numbers: refused here, with the node's name.
void check_countable(const Operator& op, const Einsum& einsum) {
    if (const std::string problem = problem_with(einsum); !problem.empty()) op.fail(ErrorCode::unsupported, problem);
    try {
        operation_count(einsum);
        for (int t = 0; t < einsum.tensor_count(); ++t) tensor_words(einsum, t);
    } catch (const OverflowError&) {
        op.fail(ErrorCode::overflow, "the layer is too large to count in 64 bits");
    }
}

}  // namespace

Lowered lower(const Operator& op) {
    const LowerFunction function = contraction_of(op.node());
    if (function == nullptr) return NotMapped{reason_not_mapped(op.node())};
    try {
        Lowered lowered = function(op);
        if (const auto* one = std::get_if<Contraction>(&lowered)) check_countable(op, one->einsum);
        if (const auto* products = std::get_if<std::vector<Product>>(&lowered))
            for (const Product& product : *products) check_countable(op, product.einsum);
        return lowered;
    } catch (const OverflowError&) {
        op.fail(ErrorCode::overflow, "the layer is too large to count in 64 bits");
    }
}

// Convolutions. Spatial axes are ([D,] H,) W: the last is the width, so a 1-D convolution lies along P and R.

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
