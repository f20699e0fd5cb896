// Text that came from files, made safe to print: what a terminal would obey instead of show becomes visible.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// `text` with control characters (C0 and C1, DEL), directions of writing and invisible characters spelled out as
/// \u001b, and bytes that are not UTF-8 as \xff. Line feeds and tabs stay. What is printable comes back as it is.
std::string printable(std::string_view text);

/// The same on one line: line feeds and tabs are spelled out, too. For names inside messages.
std::string printable_line(std::string_view text);

/// As many columns as `text` has characters: what printable_line would spell out is a '?', a tab a blank. For source
/// lines above a caret.
std::string masked_line(std::string_view text);

}  // namespace tilewright
