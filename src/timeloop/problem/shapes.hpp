// Problem shapes by name: `problem: {shape: cnn_layer}`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// The map under `shape` of <folder>/<name>.yaml, else of the built-in shape; '-' and '_' are equal. Throws
/// InputError(unknown_name) at `place`, listing the built-in ones.
yaml::Node named_shape(const std::string& name, const yaml::Node& place,
                       const std::vector<std::filesystem::path>& folders);

}  // namespace tilewright::timeloop
