// Loads ZigZag's YAML like PyYAML: of equal keys in a map the last one counts.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.hpp"
#include "yaml/node.hpp"

namespace tilewright::zigzag {

struct Document {
    yaml::Node root;
    bool of_several_cores = false;   ///< Stream's: a core among others, or a mapping to several
    std::vector<std::string> notes;  ///< one per value replaced by a later equal key
};

/// Throws InputError.
Document load(const std::filesystem::path& path, std::uintmax_t most_bytes = kMostFileBytes);
Document load_text(std::string_view text, std::string file = "<text>");

/// The core in the file; the note names `choice` of `machine`. Throws InputError for any other content.
Document load_core(const std::filesystem::path& path, const std::string& choice, const std::string& machine,
                   std::uintmax_t most_bytes = kMostFileBytes);

}  // namespace tilewright::zigzag
