// Helpers of includes.
#pragma once

#include <string>

#include "yaml/node.hpp"

namespace tilewright::jinja {

/// The text with "!include FILE" written as Jinja: a line of its own as include_text('FILE'), behind a key or a dash as
/// include('FILE'). Lines stay where they are.
std::string with_include_tags(const std::string& text);

/// The value under `key`; '-' and '_' are the same. Throws missing_key.
yaml::Node part_of(const yaml::Node& node, const std::string& key);

}  // namespace tilewright::jinja
