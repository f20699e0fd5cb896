// Attributes that other tools put on standard operators.
#pragma once

#include "base/notes.hpp"
#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// The newest operator set that libonnx 1.12 knows.
inline constexpr int kLibraryOpset = 17;

/// Takes from the contractions (Conv, Gemm, MatMul, ..) of the graph and of its subgraphs the attributes that are not
/// in the standard, with a note. One that is one or two letters away from a standard one stays, to be refused: it may
/// be a slip.
void drop_foreign_attributes(pb::GraphProto& graph, int opset, const std::string& file, Notes& notes);

}  // namespace tilewright::onnx
