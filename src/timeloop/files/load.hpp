// Timeloop's input files as one tree: Jinja templates are expanded, files merge at their top-level keys, hyphens in
// keys become underscores.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "yaml/jinja/jinja.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Reads and merges (merge.hpp); Jinja templates are expanded first (src/jinja). Included text keeps the places of its
/// own file.
yaml::Node load(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings = {});

/// Collects refusals of omissible parts.
using Mistakes = std::vector<InputError>;

/// The same, with misspelt sections left out and reported in `mistakes`.
yaml::Node load_tolerantly(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings,
                           Mistakes& mistakes);

/// The same for one text; `file` names it in messages and its folder anchors includes.
yaml::Node load_text(std::string_view text, const std::string& file = "<text>", const jinja::Settings& settings = {});

}  // namespace tilewright::timeloop
