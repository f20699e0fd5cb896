// UTF-8 validation: required by YAML, and libfyaml may crash on invalid text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilewright {

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
