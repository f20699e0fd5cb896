// Helpers of includes.
#pragma once

#include <string>

#include "yaml/node.hpp"

namespace tilewright::jinja {

/// The text with "!include FILE" as Jinja: include_text('FILE') on a line of its own, include('FILE') behind a key or a
/// dash. Lines keep their numbers.
std::string with_include_tags(const std::string& text);

/// The value under `key`; '-' and '_' are equal. Throws missing_key.
yaml::Node part_of(const yaml::Node& node, const std::string& key);

}  // namespace tilewright::jinja
