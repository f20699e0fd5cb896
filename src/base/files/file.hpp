// Whole-file input and output. Writing is atomic: a reader sees the old file or the new one, never half of it.
//
//     write_files({{"out/mapping.yaml", mapping}, {"out/report.json", report}}, {"out/certificate.json"});
//
// Bytes first go to files beside the targets, and to the disk; only a complete set replaces the targets. Only regular
// files are read and replaced; symbolic links are followed.
// The size limit of files read, with its message.
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

/// Default size limit, far above any input.
constexpr std::uintmax_t kMostFileBytes = std::uintmax_t{64} << 20U;
/// For files of any size, such as the program's own cache entries.
constexpr std::uintmax_t kAnySize = std::numeric_limits<std::uintmax_t>::max();

/// The bytes of `path`, without a leading UTF-8 byte order mark. Throws InputError(missing_file, io) with the path and
/// the system's reason; refuses non-regular files (a FIFO would never end), UTF-16 text, Git LFS pointers and, unread,
/// a file beyond `most_bytes` (unsupported).
std::string read_file(const std::filesystem::path& path, std::uintmax_t most_bytes = kMostFileBytes);

/// The standard library's error on an inaccessible path (too long, forbidden) as an InputError.
InputError looked_at_in_vain(const std::filesystem::filesystem_error& error);

/// A future file and its bytes.
using FileBytes = std::pair<std::filesystem::path, std::string>;

/// Writes all of `files` or, throwing InputError(io), none; then removes existing `others` that are regular files or
/// links to them. A replaced file keeps its permissions. Temporary files of dead runs in these folders are removed.
/// Concurrent writers: the last one wins, file by file. Killed between two of the final renames (microseconds each),
/// some files are new and some old.
void write_files(const std::vector<FileBytes>& files, const std::vector<std::filesystem::path>& others = {});

void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Throws InputError(io) if write_file would refuse the existing target: before the work, not after it.
void check_target(const std::filesystem::path& path);

/// Throws InputError(unsupported) for a file beyond `most_bytes`, unread; `advice` ends the sentence. Unmeasurable ones
/// are left to read_file().
void refuse_oversize(const std::filesystem::path& path, std::uintmax_t most_bytes, const std::string& advice = "");

// A fence around the program's file reads, for work with foreign paths.
//
//     const ReadingOnly fence({folder});      // until the end of the scope, read_file() refuses other places

/// During its lifetime read_file() takes files in these places only: a folder with all below it, or a file. Links count
/// as their targets. Process-wide, like the working directory; one at a time.
class ReadingOnly {
   public:
    explicit ReadingOnly(const std::vector<std::filesystem::path>& places);
    ~ReadingOnly();
    ReadingOnly(const ReadingOnly&) = delete;
    ReadingOnly& operator=(const ReadingOnly&) = delete;

    bool allows(const std::filesystem::path& path) const;

   private:
    std::vector<std::filesystem::path> places_;  ///< absolute, without links
};

/// Throws InputError(io) at a path outside the fence.
void require_inside_fence(const std::filesystem::path& path);

}  // namespace tilewright
