// A temporary file beside its target. Internal to base; the interface is write_files() (file.hpp).
//
// Its name marks it as ours, and a lock on it marks a live writer: this tells leftovers of dead runs from pending
// writes, on any machine sharing the folder.
#pragma once

#include <filesystem>
#include <string_view>

namespace tilewright {

/// Removed on destruction unless it replaced its target. Everything throws std::system_error on failure.
class TemporaryFile {
   public:
    explicit TemporaryFile(std::filesystem::path folder);
    ~TemporaryFile();
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void write(std::string_view bytes);
    /// Takes over owner (as far as permitted) and permissions of `target`, if it exists.
    void take_after(const std::filesystem::path& target);
    /// Returns with the bytes on the disk.
    void sync();
    void take_place_of(const std::filesystem::path& target);

   private:
    bool create(const std::filesystem::path& path);

    std::filesystem::path path_;  ///< "" once it has replaced its target
    int file_ = -1;
};

/// Removes temporary files of dead writers. Failures are ignored.
void remove_leftovers(const std::filesystem::path& folder);

/// Returns with the folder's names on the disk, as far as the system can.
void sync_folder(const std::filesystem::path& folder);

}  // namespace tilewright
