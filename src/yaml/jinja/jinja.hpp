// The subset of Jinja used by the input files of Timeloop's front end and its public designs: expands a template to
// text for the YAML reader. Grammar: syntax.hpp; the users' list: docs/timeloop-inputs.md.
//
// Functions of a template:
//     add_to_path(folder)     adds a lookup folder; prints nothing
//     cwd()                   the folder of the user's template
//     find_path(name)         the place of a file or folder
//     path_exists(name)       whether it exists
//     include_text(name)      the text of another template, expanded; its lines keep their places
//     include(name[, key])    the YAML value under a key ('a.b', or several keys) of another file
//     include_all(pattern[, key])  the values of all matching files: lists are joined
//     range([first,] end[, step])
//     ceil(x), floor(x), max(a, b, ..), min(a, b, ..), dict()
// A value of include() is not printed as text: it stands in the tree as read, with its places. A directly following
// ".a.b" gives keys in it: "{{model}}.workload.einsums".
//
// A line "!include FILE" is the text of the file, and "key: !include FILE" its value.
//
// Files are read from the given folders only. Nesting and number of includes, output size, loop turns and the work of
// expressions are limited.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.hpp"
#include "yaml/node.hpp"

namespace tilewright::jinja {

using Variables = std::map<std::string, std::string>;  ///< the user's names, and values as text

struct Settings {
    Variables variables;
    /// Readable folders, besides the template's and the one above it.
    std::vector<std::filesystem::path> folders;
    /// Size limit of the template's file when read by load().
    std::uintmax_t most_bytes = kMostFileBytes;
};

/// `file` names the text in messages; its folder anchors relative names. Throws InputError at the mistake, possibly in
/// an included file.
yaml::Source expand(std::string_view text, const std::string& file, const Settings& settings = {});

}  // namespace tilewright::jinja
