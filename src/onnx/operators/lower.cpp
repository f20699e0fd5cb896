#include "onnx/operators/lower.hpp"

#include <map>

#include "base/numbers/checked.hpp"
#include "onnx/graph/graph.hpp"
#include "onnx/operators/microsoft.hpp"
#include "onnx/operators/operator.hpp"
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

namespace {

/// One operand of attention.
struct Heads {
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t rows = 1;
    std::int64_t features = 1;
};

Heads heads_of(const Operator& op, int input, const char* attribute) {
    const Extents extents = op.input(input);
    if (extents.size() == 4) return {extents[0], extents[1], extents[2], extents[3]};
    if (extents.size() != 3)
        op.fail(ErrorCode::bad_value, "its input has shape " + shape_text(extents) +
                                          "; expected [batch, heads, rows, features] or [batch, rows, features]");
    const std::int64_t heads = Attributes(op.node(), op.file()).integer(attribute, 0);
    if (heads < 1 || extents[2] % heads != 0)
        op.fail(ErrorCode::bad_value, std::string("attribute '") + attribute + "' (" + std::to_string(heads) +
                                          ") does not divide the " + std::to_string(extents[2]) + " features");
    return {extents[0], heads, extents[1], extents[2] / heads};
}

struct Attended {
    Heads query;
    Heads key;
    Heads value;
    std::int64_t rows = 0;  ///< of keys and values, with the past
};

Attended attended(const Operator& op) {
    Attended all{heads_of(op, 0, "q_num_heads"), heads_of(op, 1, "kv_num_heads"), heads_of(op, 2, "kv_num_heads"), 0};
    all.rows = all.key.rows;
    if (op.node().input_size() > 4 && !op.node().input(4).empty()) {
        const Extents past = op.input(4);
        if (past.size() != 4)
            op.fail(ErrorCode::bad_value, "past keys have shape " + shape_text(past) + "; expected four axes");
        all.rows = checked_add(all.rows, past[2]);
    }
    const bool fits = all.query.batch == all.key.batch && all.key.batch == all.value.batch &&
                      all.query.features == all.key.features && all.key.rows == all.value.rows &&
                      all.key.heads == all.value.heads && all.query.heads % all.key.heads == 0;
    if (!fits)
        op.fail(ErrorCode::bad_value, "the shapes of queries " + shape_text(op.input(0)) + ", keys " +
                                          shape_text(op.input(1)) + " and values " + shape_text(op.input(2)) +
                                          " do not go together");
    return all;
}

}  // namespace

Lowered lower_attention(const Operator& op) {
    const Attended all = attended(op);
    const std::int64_t batch = checked_mul(all.query.batch, all.query.heads);
    return std::vector<Product>{{"scores", batched_matmul(batch, all.query.rows, all.query.features, all.rows), 1},
                                {"values", batched_matmul(batch, all.query.rows, all.rows, all.value.features), 1}};
}

std::optional<Extents> attention_result(const Operator& op) {
    for (int input = 0; input < 3; ++input)
        if (!op.knows_input(input)) return std::nullopt;
    const Attended all = attended(op);
    if (op.input(0).size() == 4) return Extents{all.query.batch, all.query.heads, all.query.rows, all.value.features};
    return Extents{all.query.batch, all.query.rows, checked_mul(all.query.heads, all.value.features)};
}

Lowered lower_recurrent(const Operator& op) {
    const Attributes attributes(op.node(), op.file());
    const std::string& type = op.node().op_type();
    const std::int64_t gates = type == "LSTM" ? 4 : type == "GRU" ? 3 : 1;
    const std::int64_t hidden = attributes.integer("hidden_size", 0);
    if (hidden < 1) op.fail(ErrorCode::bad_value, "hidden_size is " + std::to_string(hidden) + "; expected at least 1");
    const Extents input = op.input(0);
    if (input.size() != 3)
        op.fail(ErrorCode::bad_value,
                "its input has shape " + shape_text(input) + "; expected [sequence, batch, features]");
    const bool batch_first = attributes.integer("layout", 0) != 0;
    const std::int64_t directions = attributes.text("direction", "forward") == "bidirectional" ? 2 : 1;
    const std::int64_t steps = checked_mul(batch_first ? input[1] : input[0], directions);
    const std::int64_t batch = batch_first ? input[0] : input[1];
    const std::int64_t columns = checked_mul(gates, hidden);
    return std::vector<Product>{{"input", gemm(batch, input[2], columns), steps},
                                {"state", gemm(batch, hidden, columns), steps}};
}

}  // namespace tilewright::onnx
