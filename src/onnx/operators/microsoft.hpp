// Operators of ONNX Runtime's domain com.microsoft that have matrix products inside: attention in its three forms, and
// products with weights of a few bits. Shapes are those of ONNX Runtime's documentation of its operators.
#pragma once

#include <optional>
#include <vector>

#include "onnx/operators/lower.hpp"

namespace tilewright::onnx {

bool is_microsoft(const pb::NodeProto& node);

/// Attention: a projection, [batch * rows, features] times [features, q + k + v], and then scores and values. A past
/// [2, batch, heads, rows, features] lengthens the keys.
Lowered lower_microsoft_attention(const Operator& op);
/// Scores and values of queries, keys and values that are already projected, apart or packed; past keys lengthen them.
Lowered lower_multi_head_attention(const Operator& op);
/// The same with fewer key heads than query heads, each of which counts by itself. Where the model says how many keys
/// there are in all (total_sequence_length, else seqlens_k), the past is only as long as that.
Lowered lower_group_query_attention(const Operator& op);
/// A times weights [N, blocks, bytes of a block] of `bits` bits; scales and zero points are not counted.
Lowered lower_matmul_nbits(const Operator& op);

/// The shapes of the outputs of an operator of com.microsoft, as far as they are known; an empty entry is not. None for
/// operators that are not known here, and where inputs are not. Throws InputError for shapes that do not go together.
std::vector<std::optional<Extents>> microsoft_results(const Operator& op);

}  // namespace tilewright::onnx
