// Whole files in and out. Writing is atomic: a reader sees the old file or the new one, never half of it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tilewright {

/// The bytes of `path`. Throws InputError(missing_file | io), naming the path and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// Writes beside the target and renames; throws InputError(io) and leaves nothing behind when it cannot.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace tilewright
