// A model's own functions (FunctionProto), replaced by their bodies.
#pragma once

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// Expands every call, also inside subgraphs, and removes the functions. Nodes of a body are called "<call>/<node>".
/// Throws InputError for functions that call themselves, that are defined twice, or whose expansion is unreasonably
/// large.
void inline_functions(pb::ModelProto& model, const std::string& file);

}  // namespace tilewright::onnx
