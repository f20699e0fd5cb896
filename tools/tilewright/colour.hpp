// Colour on terminals.
#pragma once

#include <string>

namespace tilewright::cli {

/// The text with its first "error:" in red or its first "note:" in blue, where standard error is a terminal that knows
/// colours and NO_COLOR (https://no-color.org) is not set; else the text.
std::string coloured(const std::string& text);

}  // namespace tilewright::cli
