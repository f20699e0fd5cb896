// Reads Timeloop problems (v0.3 and v0.4): shape, instance, coefficients.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "workload/einsum.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// `root` is a loaded file with `problem`. A shape is given in place or by name: <name>.yaml in `shape_folders`, then
/// the built-in shapes (cnn_layer, ...). `shape_files`, if given, collects the files read for it.
Einsum read_problem(const yaml::Node& root, const std::vector<std::filesystem::path>& shape_folders = {},
                    std::set<std::string>* shape_files = nullptr);

// Problem shapes by name: `problem: {shape: cnn_layer}`.

/// The map under `shape` of <folder>/<name>.yaml, else of the built-in shape; '-' and '_' are equal. Throws
/// InputError(unknown_name) at `place`, listing the built-in ones.
yaml::Node named_shape(const std::string& name, const yaml::Node& place,
                       const std::vector<std::filesystem::path>& folders);

}  // namespace tilewright::timeloop
