// Text as content of XML and HTML, never as markup.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::plot {

/// For element content and for attribute values in quotes. Control characters, not allowed in XML, and bytes that are
/// not UTF-8 become U+FFFD; so do marks of text direction (U+202A to U+202E, U+2066 to U+2069).
std::string escaped(std::string_view text);

/// At most `most` characters, the last one an ellipsis if some were cut.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace tilewright::plot
