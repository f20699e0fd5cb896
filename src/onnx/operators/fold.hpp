// The numbers of small tensors that are computed from shapes and constants: what exporters write in front of Reshape,
// Slice and If. Only what is known in full is followed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "onnx/graph/messages.hpp"
#include "onnx/operators/infer.hpp"
#include "onnx/operators/numbers.hpp"

namespace tilewright::onnx {

/// What is known about the inputs of a node.
struct Known {
    std::function<std::optional<Numbers>(const std::string& value)> numbers;
    std::function<std::optional<Extents>(const std::string& value)> shape;
};

/// The numbers of one of the node's outputs, if they follow from what is known: Shape, Size, Constant, ConstantOfShape,
/// Range, NonZero, casts, arithmetic, comparisons, Where, Gather, Slice, Split, Concat, Transpose, Tile, Squeeze,
/// Unsqueeze, Reshape, Flatten, Expand, reductions. Anything unusual is not followed; nothing throws.
std::optional<Numbers> folded(const pb::NodeProto& node, int opset, const Known& known, int output = 0);

}  // namespace tilewright::onnx
