// Reads Timeloop problems (v0.3 and v0.4): shape, instance, coefficients.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "workload/einsum.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// `root` is a loaded file with `problem`. A shape may be given in place or named: a name is looked up as <name>.yaml
/// in `shape_folders`, then among the built-in shapes (cnn_layer, ...). `shape_files`, if given, gets the files that
/// were read for that.
Einsum read_problem(const yaml::Node& root, const std::vector<std::filesystem::path>& shape_folders = {},
                    std::set<std::string>* shape_files = nullptr);

}  // namespace tilewright::timeloop
