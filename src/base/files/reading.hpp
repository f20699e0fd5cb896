// A fence around what the program reads: for work that others describe, whose paths are theirs.
//
//     const ReadingOnly fence({folder});      // until the end of the scope, read_file() refuses what lies elsewhere
#pragma once

#include <filesystem>
#include <vector>

namespace tilewright {

/// While this lives, read_file() takes files in these places only: a folder and all below it, or a file. Links count as
/// what they name. As the working directory, it is the whole process's; one at a time.
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

/// Throws InputError(io) at a path that a fence keeps from being read.
void require_inside_fence(const std::filesystem::path& path);

}  // namespace tilewright
