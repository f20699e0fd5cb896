// The one limit of what is read of a file, in its words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tilewright {

/// Throws InputError(unsupported) for a file beyond `most_bytes`, unread; `advice` ends the sentence. What cannot be
/// measured is for read_file() to refuse.
void refuse_oversize(const std::filesystem::path& path, std::uintmax_t most_bytes, const std::string& advice = "");

}  // namespace tilewright
