// Jinja, as far as the input files of Timeloop's front end and of its public designs use it: turns a template into
// text for the YAML reader. The grammar is in syntax.hpp; docs/timeloop-inputs.md has the list for users.
//
// Functions of a template:
//     add_to_path(folder)     adds a folder in which files are looked up; prints nothing
//     cwd()                   the folder of the template that the user named
//     find_path(name)         where a file or folder is found
//     path_exists(name)       whether it is
//     include_text(name)      the text of another template, expanded; its lines keep their places
//     include(name[, key])    the YAML value under a key ('a.b', or several keys) of another file
//     include_all(pattern[, key])  the values of all files that match: lists are joined
//     range([first,] end[, step])
//     ceil(x), floor(x), max(a, b, ..), min(a, b, ..), dict()
// A value that include() gives is not written out as text: it stands in the tree as it was read, with its places. What
// follows it at once, ".a.b", are keys in it: "{{model}}.workload.einsums".
//
// A line "!include FILE" is the text of that file, and "key: !include FILE" the value in it.
//
// Files are read from the given folders only. Includes inside each other, their number, the text that comes out, the
// turns of loops and the work of expressions all have limits.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.hpp"
#include "yaml/node.hpp"

namespace tilewright::jinja {

using Variables = std::map<std::string, std::string>;  ///< what the user gives: names, and values as text

struct Settings {
    Variables variables;
    /// Folders from which files may be read, besides that of the template and the one above it.
    std::vector<std::filesystem::path> folders;
    /// Of the template's file, where load() reads it; larger ones are refused.
    std::uintmax_t most_bytes = kMostFileBytes;
};

/// `file` names the text in messages; its folder is where relative names start. Throws InputError at the place of the
/// mistake, which may be in an included file.
yaml::Source expand(std::string_view text, const std::string& file, const Settings& settings = {});

}  // namespace tilewright::jinja
