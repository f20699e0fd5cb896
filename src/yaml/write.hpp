// Values as YAML that reads back equal.
#pragma once

#include <string>

#include "yaml/node.hpp"

namespace tilewright::yaml {

/// Plain if text for every YAML reader, else in double quotes.
std::string scalar_text(const std::string& text);

/// In double quotes.
std::string quoted_text(const std::string& text);

/// The fewest digits reading back as the same number.
std::string number_text(double value);

/// On one line: "{factors: [R=1, S=1], split: 999}". Quoted values stay quoted.
std::string flow_text(const Node& node);

/// The text behind "key:": a list has a line per value, with `indent` and "- " in front.
std::string block_text(const Node& node, const std::string& indent);

}  // namespace tilewright::yaml
