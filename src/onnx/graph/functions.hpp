// A model's own functions (FunctionProto), replaced by their bodies.
#pragma once

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// Expands every call, also inside subgraphs, and removes the functions. Body nodes are named "<call>/<node>". Throws
/// InputError for recursive functions, duplicates, and unreasonably large expansions.
void inline_functions(pb::ModelProto& model, const std::string& file);

}  // namespace tilewright::onnx
