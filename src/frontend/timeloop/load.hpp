// Timeloop's input files, as one tree: several files merge at their top-level keys, `{{include_text('...')}}` is expanded, and
// hyphens in keys become underscores.
#pragma once

#include <filesystem>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Reads and merges. The same top-level key in two files is merged when both are maps and their keys differ, else refused
/// (duplicate_key). Any Jinja but include_text of an existing file and the variables of the examples is refused
/// (unsupported) with its place. Included text keeps the places of the included file.
yaml::Node load(const std::vector<std::filesystem::path>& files);

}  // namespace tilewright::timeloop
