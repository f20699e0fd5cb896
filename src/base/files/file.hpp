// Whole files in and out. Writing is atomic: a reader sees the old file or the new one, never half of it.
//
//     write_files({{"out/mapping.yaml", mapping}, {"out/report.json", report}}, {"out/certificate.json"});
//
// What is written goes to files beside the targets first, and to the disk; only when all of them are there do they take
// the targets' places. Only regular files are read and replaced; symbolic links are followed to what they name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace tilewright {

/// What a file has at most, unless more is asked for: no input of people or of programs comes near it.
constexpr std::uintmax_t kMostFileBytes = std::uintmax_t{64} << 20U;
/// For what may have any size, as entries of the program's own cache.
constexpr std::uintmax_t kAnySize = std::numeric_limits<std::uintmax_t>::max();

/// The bytes of `path`, without the byte order mark of UTF-8 in front. Throws InputError(missing_file | io), naming the
/// path and the system's reason; what is no regular file (a FIFO would never end) is refused, and so are text in
/// UTF-16, what Git LFS leaves in a file's place and, unread, a file beyond `most_bytes` (unsupported).
std::string read_file(const std::filesystem::path& path, std::uintmax_t most_bytes = kMostFileBytes);

/// What the standard library says of a path that it could not look at (too long, not ours to enter), as all else.
InputError looked_at_in_vain(const std::filesystem::filesystem_error& error);

/// A file to be and its bytes.
using FileBytes = std::pair<std::filesystem::path, std::string>;

/// Writes all of `files` or, throwing InputError(io), none of them; then removes `others`, as far as they are there and
/// are regular files or links to them. A file that is replaced keeps its permissions. Temporary files that dead runs
/// left in these folders are removed. Processes may write the same files at once: the last one wins, file by file.
/// Killed between two of the last steps (there is one a file, each takes microseconds), some files are new and some
/// old.
void write_files(const std::vector<FileBytes>& files, const std::vector<std::filesystem::path>& others = {});

/// As a set of one file.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Throws InputError(io) where write_file would refuse what is there already: before the work, not after it.
void check_target(const std::filesystem::path& path);

}  // namespace tilewright
