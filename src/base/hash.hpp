// Names for contents: the same bytes always get the same name, on every machine.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// XXH3-128 of `bytes` as 32 hexadecimal digits (what `xxh128sum` prints).
std::string content_hash(std::string_view bytes);

}  // namespace tilewright
