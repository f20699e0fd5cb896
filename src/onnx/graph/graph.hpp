// Topological order of a graph.
// Protobuf decoding of a model, with the position of a fault.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
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

// Limits of libonnx's shape rules: newer operators and forms, and nodes unsafe for its unchecked rules.

/// Brevitas', QONNX' and FINN's operators for numbers of fewer bits.
bool is_quantiser_domain(const std::string& domain);

/// Operators without a good rule in libonnx whose first output has the first input's shape.
bool keeps_shape(const pb::NodeProto& node);

/// Rewrites a node of a newer opset into libonnx's form; false if impossible. `data` holds the small constants.
bool rewrite_newer_form(pb::NodeProto& node, int opset,
                        const std::unordered_map<std::string, const pb::TensorProto*>& data);

/// True if the library's rule is useful; false for control flow, sequences, random numbers, training.
bool has_library_rule(const pb::NodeProto& node);

void refuse_impossible_attributes(const pb::NodeProto& node, const std::string& file);

/// Throws InputError for an axis absent from the node's first input, with `axes` axes (of Unsqueeze: its result).
/// `data` holds the small constants.
void refuse_absent_axes(const pb::NodeProto& node, std::size_t axes,
                        const std::unordered_map<std::string, const pb::TensorProto*>& data, const std::string& file);

}  // namespace tilewright::onnx
