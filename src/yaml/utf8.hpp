// Is a text valid UTF-8? YAML has to be, and libfyaml does not survive everything that is not.
#pragma once

#include <cstddef>
#include <string_view>

namespace tilewright::yaml {

/// The place of the first byte that does not belong to a well-formed UTF-8 sequence (no overlong forms, no surrogates),
/// or text.size().
std::size_t first_invalid_utf8(std::string_view text);

}  // namespace tilewright::yaml
