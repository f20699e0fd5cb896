// Limits of libonnx's shape rules: newer operators and forms, and nodes unsafe for its unchecked rules.
#pragma once

#include <string>
#include <unordered_map>

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

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
