// Comma-separated lists.
#pragma once

#include <cstddef>
#include <string_view>

namespace tilewright {

/// End of the entry beginning at `begin`: the next comma outside of (), [] and {}, or the end of the text. A comma
/// between function arguments does not end it.
inline std::size_t end_of_entry(std::string_view text, std::size_t begin) {
    int depth = 0;
    for (std::size_t at = begin; at < text.size(); ++at) {
        const char letter = text[at];
        if (letter == '(' || letter == '[' || letter == '{') ++depth;
        if (letter == ')' || letter == ']' || letter == '}') --depth;
        if (letter == ',' && depth <= 0) return at;
    }
    return text.size();
}

}  // namespace tilewright
