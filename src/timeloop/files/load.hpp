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

/// Reads and merges; Jinja templates are expanded first (src/jinja). Included text keeps the places of its
/// own file.
yaml::Node load(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings = {});

/// Collects refusals of omissible parts.
using Mistakes = std::vector<InputError>;

/// The same, with misspelt sections left out and reported in `mistakes`.
yaml::Node load_tolerantly(const std::vector<std::filesystem::path>& files, const jinja::Settings& settings,
                           Mistakes& mistakes);

/// The same for one text; `file` names it in messages and its folder anchors includes.
yaml::Node load_text(std::string_view text, const std::string& file = "<text>", const jinja::Settings& settings = {});

// Timeloop's oldest input files: libconfig's notation (`arch : { storage = ( { name = "DRAM"; } ); };`).
//
// Its values are those of YAML's flow style under other punctuation. The text is rewritten character by character:
// every value keeps its line and, but for a few blanks, its column; the YAML reader does the rest.
//   settings  name = value;  name : value;  (';' and ',' may be missing)
//   values    groups { }, lists ( ), arrays [ ], "texts" (adjacent ones concatenate), numbers (0x10, 10L), true, false
//   comments  # and // to the end of the line, /* ... */
// Includes (@include) are refused.

/// Detects libconfig: a file name in .cfg, a text beginning with `name =`, or with `name : {` or `name : (` and a ';'
/// later.
bool is_libconfig(std::string_view text, const std::string& file);

/// The same values as YAML, line by line. Throws InputError(syntax) at the place of an error.
std::string libconfig_as_yaml(std::string_view text, const std::string& file);

// Timeloop's printed mapping (timeloop-mapper.map.txt) as an input.
//
//     DRAM [ Weights:4608 Inputs:4096 Outputs:6272 ]
//     ----------------------------------------------
//     | for K in [0:4)
//
// Each level lists its kept tensors, followed by its loops, outermost first; consecutive levels without loops between
// them share the last one's. The text is rewritten as a section `mapping`, directive by directive.

/// Detects a level followed by a line of dashes, whatever the file's name.
bool is_map_text(std::string_view text);

/// The same as YAML, every directive with the place of its level. Throws InputError(syntax) at an unexpected line.
yaml::Source map_text_as_yaml(std::string_view text, const std::string& file);

// Merge of several files, as in Accelergy and Timeloop's front end.

/// `first` extended by `second`. Maps under the same top-level key are joined; so are the lists joined by Accelergy
/// (`compound_components.classes`, `components`, tables of an ERT or ART, targets of constraints): entries with equal
/// name and content count once. `variables` are joined key by key. An empty section has no effect. After a dump of
/// Timeloop's front end (`dumped_by_timeloop_front_end`) a file's mapping replaces the dump's constraints written as
/// one. Any other duplicate is refused (duplicate_key) unless it is the same plain value, and so is a name with
/// differing content.
yaml::Node merged_documents(const yaml::Node& first, const yaml::Node& second);

/// Shorthand lists expanded: `variables` as a list of maps (the later wins), and lists of lists of classes (`classes:
/// [[a, b], [c]]`).
yaml::Node with_flat_lists(const yaml::Node& root);

}  // namespace tilewright::timeloop
