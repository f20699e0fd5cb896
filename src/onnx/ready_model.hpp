// A model as the readers of layers and of cascades take it. Internal to onnx/.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "onnx/graph/graph.hpp"
#include "onnx/onnx.hpp"

namespace tilewright::onnx {

/// Parsed, with functions inlined, nodes in an order in which they can run, symbolic dimensions bound, and without
/// attributes that its operators do not have (said in options.notes). Throws InputError with `name`.
pb::ModelProto ready_model(std::string_view bytes, const std::string& name, const ReadOptions& options);

/// The file's bytes. Throws InputError where it is larger than files may be.
std::string model_bytes(const std::filesystem::path& path);

}  // namespace tilewright::onnx
