// Topological order of a graph.
// Protobuf decoding of a model, with the position of a fault.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// Every value read by a node: its inputs and its subgraphs' (If, Loop, Scan) free values. No empty names.
std::vector<std::string> values_read(const pb::NodeProto& node);

/// Sorts the nodes, keeping a sound file order. Throws InputError for a value without a maker or with two, and for
/// cycles, naming the nodes.
void sort_graph(pb::GraphProto& graph, const std::string& file);

/// Throws InputError beyond protobuf's size limit, before any reading.
void refuse_oversize(std::uintmax_t bytes, const std::string& file);

/// Throws InputError unless `bytes` are an ONNX model. Prints nothing.
pb::ModelProto parse_model(std::string_view bytes, const std::string& file);

/// Version of the model's default operator set (1 if not imported).
int opset_version(const pb::ModelProto& model);

/// True for ONNX's own operators, as opposed to a vendor's.
bool is_standard_domain(std::string_view domain);

}  // namespace tilewright::onnx
