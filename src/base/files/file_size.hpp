// The size limit of files read, with its message.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tilewright {

/// Throws InputError(unsupported) for a file beyond `most_bytes`, unread; `advice` ends the sentence. Unmeasurable ones
/// are left to read_file().
void refuse_oversize(const std::filesystem::path& path, std::uintmax_t most_bytes, const std::string& advice = "");

}  // namespace tilewright
