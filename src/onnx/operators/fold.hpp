// Values of small tensors computed from shapes and constants, as exporters write before Reshape, Slice and If. Only
// fully known ones are followed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "onnx/graph/messages.hpp"
#include "onnx/operators/infer.hpp"
#include "onnx/operators/numbers.hpp"

namespace tilewright::onnx {

struct Known {
    std::function<std::optional<Numbers>(const std::string& value)> numbers;
    std::function<std::optional<Extents>(const std::string& value)> shape;
};

/// Values of one of the node's outputs if known: Shape, Size, Constant, ConstantOfShape, Range, NonZero, casts,
/// arithmetic, comparisons, Where, Gather, Slice, Split, Concat, Transpose, Tile, Squeeze, Unsqueeze, Reshape, Flatten,
/// Expand, reductions. Unusual cases are not followed; nothing throws.
std::optional<Numbers> folded(const pb::NodeProto& node, int opset, const Known& known, int output = 0);

}  // namespace tilewright::onnx
