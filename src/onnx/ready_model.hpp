// A prepared model for the readers of layers and cascades. Internal to onnx/.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "onnx/graph/graph.hpp"
#include "onnx/onnx.hpp"

namespace tilewright::onnx {

/// Parsed, functions inlined, nodes sorted, symbolic dimensions bound, foreign attributes removed (with options.notes).
/// Throws InputError with `name`.
pb::ModelProto ready_model(std::string_view bytes, const std::string& name, const ReadOptions& options);

/// The file's bytes. Throws InputError beyond the size limit.
std::string model_bytes(const std::filesystem::path& path);

}  // namespace tilewright::onnx
