// The little of Jinja that Timeloop's input files use, expanded before YAML sees the text: {{include_text('file')}},
// {{name}} and {{name|default(value)}}, {% if name|default(value) %} .. {% else %} .. {% endif %}, and {# comments #}.
//
// Included text keeps the places of its own file. Everything else of Jinja is refused at its place (unsupported).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "yaml/node.hpp"

namespace tilewright::timeloop {

using JinjaVariables = std::map<std::string, std::string>;

/// `file` names the text in messages; its folder is where relative includes start.
yaml::Source expand_jinja(std::string_view text, const std::string& file, const JinjaVariables& variables = {});

}  // namespace tilewright::timeloop
