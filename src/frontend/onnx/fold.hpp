// The numbers of small tensors that are computed from shapes and constants: what exporters write in front of Reshape,
// Slice and If. Only what is known in full is followed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/onnx/infer.hpp"
#include "frontend/onnx/messages.hpp"

namespace tilewright::onnx {

/// A tensor of at most kMostFolded numbers; truth values are 0 and 1.
struct Numbers {
    Extents extents;  ///< empty: a scalar
    std::vector<double> values;
    std::int32_t type = 0;  ///< pb::TensorProto_DataType
};
inline constexpr std::int64_t kMostFolded = 4096;

/// What is known about the inputs of a node.
struct Known {
    std::function<std::optional<Numbers>(const std::string& value)> numbers;
    std::function<std::optional<Extents>(const std::string& value)> shape;
};

/// The numbers of the node's first output, if they follow from what is known: Shape, Size, Constant, ConstantOfShape,
/// Range, casts, arithmetic, comparisons, Where, Gather, Slice, Concat, Squeeze, Unsqueeze, Reshape, Flatten, Expand,
/// Transpose of vectors, reductions of whole tensors. Anything unusual is not followed; nothing throws.
std::optional<Numbers> folded(const pb::NodeProto& node, int opset, const Known& known);

/// The numbers of a stored tensor, and back. Nothing for those that are large, elsewhere or of other types.
std::optional<Numbers> numbers_in(const pb::TensorProto& tensor);
pb::TensorProto tensor_of(const Numbers& numbers);

}  // namespace tilewright::onnx
