// Timeloop's input files, as one tree: several files merge at their top-level keys, `{{include_text('...')}}` is
// expanded, and hyphens in keys become underscores.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/timeloop/jinja.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Reads and merges. The same top-level key in two files is merged when both are maps and their keys differ (or have
/// the same plain value, as `version` has), else refused (duplicate_key). Any Jinja but include_text of an existing
/// file, and variables with a value in `variables` or a default, is refused (unsupported) with its place. Included text
/// keeps the places of the included file.
yaml::Node load(const std::vector<std::filesystem::path>& files, const JinjaVariables& variables = {});

/// The same for one text; `file` names it in messages and its folder is where includes start.
yaml::Node load_text(std::string_view text, const std::string& file = "<text>", const JinjaVariables& variables = {});

}  // namespace tilewright::timeloop
