// Colour on terminals.
#pragma once

#include <string>

namespace tilewright::cli {

/// The text with its first "error:" in red or its first "note:" in blue, where standard error is a terminal that knows
/// colours and NO_COLOR (https://no-color.org) is not set; else the text.
std::string coloured(const std::string& text);

/// A text for standard output, where that is a terminal: headings and heads of tables stand out, verdicts have a
/// colour. Without a terminal, or where NO_COLOR or TERM say so, the text as it is.
std::string emphasized(const std::string& text);

}  // namespace tilewright::cli
