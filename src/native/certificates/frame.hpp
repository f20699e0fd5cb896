// What all certificates begin with, and lists of lines in them. Internal to native.
#pragma once

#include <string>

#include "native/problem_json.hpp"

namespace tilewright::native {

/// With the keys schema, tool and model.
Json frame_of(const char* schema, const std::string& tool_version, int model_version);

/// The same, read: fills `tool_version` and `model_version`. Throws InputError: unsupported for another schema.
void read_frame(const yaml::Node& root, const char* schema, std::string& tool_version, int& model_version);

/// Throws InputError(bad_value) unless the node says this.
void expect_text(const yaml::Node& node, const std::string& text);

/// A text as a list of its lines.
Json lines_of(const std::string& text);
/// The text; each line ends.
std::string text_of_lines(const yaml::Node& list);
/// A mistake of that text, told at the line's place in the document.
[[noreturn]] void fail_at_line(const yaml::Node& list, const InputError& error);

}  // namespace tilewright::native
