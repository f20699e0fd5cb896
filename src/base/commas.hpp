// Lists that are written with commas.
#pragma once

#include <cstddef>
#include <string_view>

namespace tilewright {

/// Where the entry that begins at `begin` ends: at the next comma outside of (), [] and {}, or at the end of the text.
/// A comma between the arguments of a function is no end of an entry.
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
