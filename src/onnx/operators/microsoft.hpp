// ONNX Runtime's com.microsoft operators with matrix products inside: three forms of attention, and products with
// weights of a few bits. Shapes as in ONNX Runtime's operator documentation.
#pragma once

#include <optional>
#include <vector>

#include "onnx/operators/lower.hpp"

namespace tilewright::onnx {

bool is_microsoft(const pb::NodeProto& node);

/// Attention: a projection, [batch * rows, features] times [features, q + k + v], then scores and values. A past [2,
/// batch, heads, rows, features] lengthens the keys.
Lowered lower_microsoft_attention(const Operator& op);
/// Scores and values of projected queries, keys and values, apart or packed; past keys lengthen them.
Lowered lower_multi_head_attention(const Operator& op);
/// The same with fewer key heads than query heads, counted per query head. If the model states the total number of keys
/// (total_sequence_length, else seqlens_k), it bounds the past.
Lowered lower_group_query_attention(const Operator& op);
/// A times weights [N, blocks, bytes of a block] of `bits` bits; scales and zero points are not counted.
Lowered lower_matmul_nbits(const Operator& op);

/// Known output shapes of a com.microsoft operator; empty entries are unknown. None for unknown operators or inputs.
/// Throws InputError for inconsistent shapes.
std::vector<std::optional<Extents>> microsoft_results(const Operator& op);

}  // namespace tilewright::onnx
