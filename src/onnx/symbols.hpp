// Symbolic dimensions of the graph's inputs, bound to the user's extents.
#pragma once

#include "onnx/graph/messages.hpp"
#include "onnx/onnx.hpp"

namespace tilewright::onnx {

/// Replaces every symbolic dimension by its extent, in inputs, value infos and outputs. Afterwards every extent of a
/// non-initializer graph input is known and positive. Throws InputError otherwise, and for options without effect.
void bind_symbols(pb::GraphProto& graph, const ReadOptions& options, const std::string& file);

}  // namespace tilewright::onnx
