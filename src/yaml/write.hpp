// Values as YAML that reads back as the same values.
#pragma once

#include <string>

#include "yaml/node.hpp"

namespace tilewright::yaml {

/// Plain where every YAML reader takes it for text, in double quotes otherwise.
std::string scalar_text(const std::string& text);

/// In double quotes.
std::string quoted_text(const std::string& text);

/// The fewest digits that read back as the same number.
std::string number_text(double value);

/// On one line: "{factors: [R=1, S=1], split: 999}". What was quoted stays quoted.
std::string flow_text(const Node& node);

/// What stands behind "key:": a list has a line for each of its values, with `indent` and "- " in front.
std::string block_text(const Node& node, const std::string& indent);

}  // namespace tilewright::yaml
