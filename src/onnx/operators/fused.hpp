// Operators of several products: attention, and recurrent cells.
#pragma once

#include "onnx/operators/lower.hpp"

namespace tilewright::onnx {

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
