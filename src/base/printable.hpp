// Text from files made safe to print: terminal controls become visible.
// UTF-8 validation: required by YAML, and libfyaml may crash on invalid text.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// The first byte outside a well-formed UTF-8 sequence (no overlong forms, no surrogates), or text.size().
std::size_t first_invalid_utf8(std::string_view text);

/// The character at a place: a code point of 1 to 4 bytes, or one invalid byte.
struct Character {
    bool valid = false;
    std::uint32_t point = 0;  ///< when valid
    std::size_t bytes = 1;
};

/// Requires place < text.size().
Character character_at(std::string_view text, std::size_t place);

}  // namespace tilewright
