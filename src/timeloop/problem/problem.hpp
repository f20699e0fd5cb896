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

}  // namespace tilewright::timeloop
