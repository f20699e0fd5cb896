// Timeloop's oldest input files: libconfig's notation (`arch : { storage = ( { name = "DRAM"; } ); };`).
//
// Its values are those of YAML's flow style under other punctuation. The text is rewritten character by character:
// every value keeps its line and, but for a few blanks, its column; the YAML reader does the rest.
//   settings  name = value;  name : value;  (';' and ',' may be missing)
//   values    groups { }, lists ( ), arrays [ ], "texts" (adjacent ones concatenate), numbers (0x10, 10L), true, false
//   comments  # and // to the end of the line, /* ... */
// Includes (@include) are refused.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::timeloop {

/// Detects libconfig: a file name in .cfg, a text beginning with `name =`, or with `name : {` or `name : (` and a ';'
/// later.
bool is_libconfig(std::string_view text, const std::string& file);

/// The same values as YAML, line by line. Throws InputError(syntax) at the place of an error.
std::string libconfig_as_yaml(std::string_view text, const std::string& file);

}  // namespace tilewright::timeloop
