// Lowering of one operator to one einsum, by operator family.
// Operators of several products: attention, and recurrent cells.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "onnx/graph/messages.hpp"
#include "onnx/operators/operator.hpp"
#include "workload/einsum.hpp"

namespace tilewright::onnx {

/// Reason for an unmapped operator.
struct NotMapped {
    std::string reason;
};

/// The einsum of an operator, with its operands.
struct Contraction {
    Einsum einsum;
    std::vector<int> operands;  ///< operator input of each tensor read by the einsum, in its order
    std::int64_t bits = 0;      ///< of the first one's words, if the operator says so; else 0
};

/// One of an operator's products.
struct Product {
    std::string part;  ///< "scores"
    Einsum einsum;
    std::int64_t repeats = 1;
};

using Lowered = std::variant<Contraction, std::vector<Product>, NotMapped>;

Lowered lower_conv(const Operator& op);            ///< Conv and ConvInteger: X, W
Lowered lower_qlinear_conv(const Operator& op);    ///< x, scale, zero point, w, ...
Lowered lower_conv_transpose(const Operator& op);  ///< X, W
Lowered lower_gemm(const Operator& op);            ///< A, B
Lowered lower_matmul(const Operator& op);          ///< MatMul and MatMulInteger: A, B
Lowered lower_qlinear_matmul(const Operator& op);  ///< a, scale, zero point, b, ...
Lowered lower_fused_matmul(const Operator& op);    ///< of com.microsoft: operands that may be transposed
Lowered lower_dynamic_matmul(const Operator& op);  ///< of com.microsoft: floats multiplied as 8 bits
Lowered lower_einsum(const Operator& op);

/// The shape of a matrix product with known operands; nullopt for other operators. Throws InputError.
std::optional<Extents> product_result(const Operator& op);

/// Dispatches on the operator's name; non-contractions return a reason. Throws InputError, also for einsums too large
/// to count.
Lowered lower(const Operator& op);

/// Reason for not mapping a non-contraction: "element by element", "moves data only", ...
std::string reason_not_mapped(const pb::NodeProto& node);

/// Whether it computes on whole tensors: pooling, reduction, normalisation, element-wise. (Others move data, or compute
/// shapes.)
bool computes_elements(const pb::NodeProto& node);

/// Attention (opset 23) as two matrix products per batch and head: scores, Q times K transposed, and values, scores
/// times V. Query heads sharing a key head count separately. Queries, keys and values are [batch, heads, rows,
/// features], or [batch, rows, heads * features] with q_num_heads and kv_num_heads; past keys and values lengthen them.
Lowered lower_attention(const Operator& op);

/// The shape of its first output; empty with unknown inputs.
std::optional<Extents> attention_result(const Operator& op);

/// LSTM, GRU and RNN as two matrix products per sequence step and direction: with the input and with the previous
/// state, [batch, features] times [features, gates * hidden].
Lowered lower_recurrent(const Operator& op);

}  // namespace tilewright::onnx
