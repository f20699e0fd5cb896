// Problem shapes by name, as `problem: {shape: cnn_layer}` refers to them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// The map under `shape` of <folder>/<name>.yaml, or else of the built-in shape of that name; '-' and '_' are the same.
/// Throws InputError(unknown_name) at `place`, naming the built-in ones.
yaml::Node named_shape(const std::string& name, const yaml::Node& place,
                       const std::vector<std::filesystem::path>& folders);

}  // namespace tilewright::timeloop
