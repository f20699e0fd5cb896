// Symbolic dimensions of the graph's inputs, bound to the extents the user gave.
#pragma once

#include "onnx/graph/messages.hpp"
#include "onnx/onnx.hpp"

namespace tilewright::onnx {

/// Replaces every symbolic dimension by its extent, in inputs, value infos and outputs. Afterwards every extent of a
/// graph input that is not an initializer is known and positive. Throws InputError for those that are not, and for
/// options that bind nothing.
void bind_symbols(pb::GraphProto& graph, const ReadOptions& options, const std::string& file);

}  // namespace tilewright::onnx
