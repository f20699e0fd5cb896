// The files that a template may read: those in the folders that the user gave.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::jinja {

class Files {
   public:
    /// `allowed`: folders (with all below) from which files may be read; links out of them do not count.
    explicit Files(const std::vector<std::filesystem::path>& allowed);

    /// Where relative names are looked up, after the folder of the file that names them; a later one comes later.
    void add_folder(const std::filesystem::path& folder) { folders_.push_back(folder); }

    /// The file or folder that `name` means in a template in `here`, or nothing. Names that lead outside the allowed
    /// folders mean nothing.
    std::optional<std::filesystem::path> find(const std::string& name, const std::filesystem::path& here) const;

    /// Whether `name` leads to a file outside the allowed folders.
    bool is_outside(const std::string& name, const std::filesystem::path& here) const;

    /// The files that a pattern of the shell means ('*', '?' and [..] within one folder's names), in order; those of
    /// the first folder that has some.
    std::vector<std::filesystem::path> match(const std::string& pattern, const std::filesystem::path& here) const;

   private:
    bool is_allowed(const std::filesystem::path& path) const;
    std::vector<std::filesystem::path> candidates(const std::string& name, const std::filesystem::path& here) const;

    std::vector<std::filesystem::path> allowed_;
    std::vector<std::filesystem::path> folders_;
};

}  // namespace tilewright::jinja
