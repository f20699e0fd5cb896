// Bytes to a model: protobuf decoding with an error that says where the file breaks off.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "onnx/graph/messages.hpp"

namespace tilewright::onnx {

/// Throws InputError for more bytes than protobuf can hold: no need to read them first.
void refuse_oversize(std::uintmax_t bytes, const std::string& file);

/// Throws InputError when `bytes` are not an ONNX model. Prints nothing.
pb::ModelProto parse_model(std::string_view bytes, const std::string& file);

/// The version of the default operator set that the model imports (1 when it imports none).
int opset_version(const pb::ModelProto& model);

/// True for the operators of ONNX itself, as opposed to those of a vendor.
bool is_standard_domain(std::string_view domain);

}  // namespace tilewright::onnx
