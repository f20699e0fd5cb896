// Other tools' attributes on standard operators.
#pragma once

#include "base/notes.hpp"
#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// The newest operator set of libonnx 1.12.
inline constexpr int kLibraryOpset = 17;

/// Removes non-standard attributes from contractions (Conv, Gemm, MatMul, ..) of the graph and its subgraphs, with a
/// note. One within two letters of a standard one stays and is refused: possibly a slip.
void drop_foreign_attributes(pb::GraphProto& graph, int opset, const std::string& file, Notes& notes);

}  // namespace tilewright::onnx
