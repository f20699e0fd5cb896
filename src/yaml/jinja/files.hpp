// Files readable by a template: those in the user's folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::jinja {

class Files {
   public:
    /// `allowed`: readable folders (with all below); links leading out are refused.
    explicit Files(const std::vector<std::filesystem::path>& allowed);

    /// Lookup folders of relative names, after the naming file's folder, in order of addition.
    void add_folder(const std::filesystem::path& folder) { folders_.push_back(folder); }

    /// The file or folder of `name` for a template in `here`, if any. Names outside the allowed folders have none.
    std::optional<std::filesystem::path> find(const std::string& name, const std::filesystem::path& here) const;

    /// Whether `name` leads to a file outside the allowed folders.
    bool is_outside(const std::string& name, const std::filesystem::path& here) const;

    /// Files matching a shell pattern ('*', '?' and [..] within one folder's names), in order, from the first folder
    /// with any.
    std::vector<std::filesystem::path> match(const std::string& pattern, const std::filesystem::path& here) const;

   private:
    bool is_allowed(const std::filesystem::path& path) const;
    std::vector<std::filesystem::path> candidates(const std::string& name, const std::filesystem::path& here) const;

    std::vector<std::filesystem::path> allowed_;
    std::vector<std::filesystem::path> folders_;
};

// Helpers of includes.

/// The text with "!include FILE" as Jinja: include_text('FILE') on a line of its own, include('FILE') behind a key or a
/// dash. Lines keep their numbers.
std::string with_include_tags(const std::string& text);

/// The value under `key`; '-' and '_' are equal. Throws missing_key.
yaml::Node part_of(const yaml::Node& node, const std::string& key);

}  // namespace tilewright::jinja
