// A file beside the one it is to become. Internal to base: write_files() (file.hpp) is what others call.
//
// Its name says that it is ours, and a lock on it says that its writer lives: what dead runs left behind is told from
// what others are about to write, on any machine that shares the folder.
#pragma once

#include <filesystem>
#include <string_view>

namespace tilewright {

/// Removed when it goes, unless it has taken a place. Everything throws std::system_error when it cannot.
class TemporaryFile {
   public:
    explicit TemporaryFile(std::filesystem::path folder);
    ~TemporaryFile();
    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void write(std::string_view bytes);
    /// Takes over owner (as far as the system lets us) and permissions of `target`, if there is such a file.
    void take_after(const std::filesystem::path& target);
    /// Returns when the bytes are on the disk.
    void sync();
    void take_place_of(const std::filesystem::path& target);

   private:
    bool create(const std::filesystem::path& path);

    std::filesystem::path path_;  ///< "" once it has taken a place
    int file_ = -1;
};

/// Removes temporary files whose writers are dead. What cannot be removed stays.
void remove_leftovers(const std::filesystem::path& folder);

/// Returns when the names in it are on the disk, as far as the system can.
void sync_folder(const std::filesystem::path& folder);

}  // namespace tilewright
