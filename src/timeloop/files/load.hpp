// Timeloop's input files, as one tree: templates of Jinja are expanded, several files merge at their top-level keys,
// and hyphens in keys become underscores.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "yaml/jinja/jinja.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Reads and merges (merge.hpp); templates of Jinja are expanded first (src/jinja). What was included keeps the places
/// of its own file.
yaml::Node load(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings = {});

/// Takes what is refused and could be left out.
using Mistakes = std::vector<InputError>;

/// The same, but that misspelt sections are left out and what is wrong with them goes to `mistakes`.
yaml::Node load_tolerantly(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings,
                           Mistakes& mistakes);

/// The same for one text; `file` names it in messages and its folder is where includes start.
yaml::Node load_text(std::string_view text, const std::string& file = "<text>", const jinja::Settings& settings = {});

}  // namespace tilewright::timeloop
