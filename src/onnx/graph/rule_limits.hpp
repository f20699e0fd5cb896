// Where libonnx's shape rules end: operators and forms newer than its opset, and nodes that its rules, which trust
// them, must not see.
#pragma once

#include <string>
#include <unordered_map>

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// Of operators that Brevitas, QONNX and FINN write for numbers of fewer bits.
bool is_quantiser_domain(const std::string& domain);

/// Operators, unknown or badly known to libonnx, whose first output has the shape of their first input.
bool keeps_shape(const pb::NodeProto& node);

/// Rewrites a node of a newer opset into the form that libonnx knows; false when that cannot be done. `data` holds the
/// small constants.
bool rewrite_newer_form(pb::NodeProto& node, int opset,
                        const std::unordered_map<std::string, const pb::TensorProto*>& data);

/// True when the library's rule for the operator is worth running; it is not for control flow, sequences, random
/// numbers, training.
bool has_library_rule(const pb::NodeProto& node);

/// Throws InputError for strides, dilations, kernels and counts below 1.
void refuse_impossible_attributes(const pb::NodeProto& node, const std::string& file);

/// Throws InputError for an axis that the node's first input, of so many axes, does not have (of Unsqueeze: its
/// result). `data` holds the small constants.
void refuse_absent_axes(const pb::NodeProto& node, std::size_t axes,
                        const std::unordered_map<std::string, const pb::TensorProto*>& data, const std::string& file);

}  // namespace tilewright::onnx
