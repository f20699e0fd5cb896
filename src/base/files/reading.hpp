// A fence around the program's file reads, for work with foreign paths.
//
//     const ReadingOnly fence({folder});      // until the end of the scope, read_file() refuses other places
#pragma once

#include <filesystem>
#include <vector>

namespace tilewright {

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
