// Loads ZigZag's YAML as PyYAML does: of two equal keys in one map the last one counts.
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
    bool of_several_cores = false;   ///< of Stream: a core among others, or a mapping to several
    std::vector<std::string> notes;  ///< one for each value that a later equal key replaced
};

/// Throws InputError.
Document load(const std::filesystem::path& path, std::uintmax_t most_bytes = kMostFileBytes);
Document load_text(std::string_view text, std::string file = "<text>");

/// The core that is in the file; `choice` of `machine` stands in the note. Throws InputError for what is no core.
Document load_core(const std::filesystem::path& path, const std::string& choice, const std::string& machine,
                   std::uintmax_t most_bytes = kMostFileBytes);

}  // namespace tilewright::zigzag
