// Timeloop's oldest input files: libconfig's notation (`arch : { storage = ( { name = "DRAM"; } ); };`).
//
// Its values are those of YAML's flow style under other punctuation, so the text is rewritten character by character
// and every value keeps its line and, but for a few blanks, its column; the YAML reader does the rest.
//   settings  name = value;  name : value;  (';' and ',' may be missing)
//   values    groups { }, lists ( ), arrays [ ], "texts" (several in a row are one), numbers (0x10, 10L), true, false
//   comments  # and // to the end of the line, /* ... */
// Includes (@include) are refused.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::timeloop {

/// Whether a text is libconfig's: the file's name ends in .cfg, or it begins with `name =`, or with `name : {` or
/// `name : (` and has a ';' somewhere.
bool is_libconfig(std::string_view text, const std::string& file);

/// The same values as YAML, line by line. Throws InputError(syntax) at its place for what is not libconfig.
std::string libconfig_as_yaml(std::string_view text, const std::string& file);

}  // namespace tilewright::timeloop
