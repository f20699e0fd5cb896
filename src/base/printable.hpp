// Text from files made safe to print: terminal controls become visible.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// `text` with control characters (C0 and C1, DEL), directions of writing and invisible characters spelled out as
/// \u001b, and non-UTF-8 bytes as \xff. Line feeds, tabs and printable characters stay.
std::string printable(std::string_view text);

/// The same on one line, with line feeds and tabs spelled out. For names in messages.
std::string printable_line(std::string_view text);

/// One column per character of `text`: '?' for characters spelled out by printable_line, a blank for a tab. For source
/// lines above a caret.
std::string masked_line(std::string_view text);

}  // namespace tilewright
