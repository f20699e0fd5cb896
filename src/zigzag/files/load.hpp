// Loads ZigZag's YAML like PyYAML: of equal keys in a map the last one counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/file.hpp"
#include "yaml/node.hpp"
#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"

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

// Reads ZigZag accelerators.

/// `root`: a parsed file with `memories` and `operational_array`. Throws InputError.
Accelerator read_accelerator(const yaml::Node& root);

/// True for a file resembling a ZigZag accelerator, sound or not.
bool is_accelerator(const yaml::Node& root);

// Reads ZigZag workloads in equation form.

struct WorkloadLayer {
    std::int64_t id = 0;
    Layer layer;                                                ///< derived; default links: O to O, W to I2, I to I1
    std::vector<std::pair<std::string, std::int64_t>> sources;  ///< operand and its source layer's id
};

/// `root`: a parsed sequence of layers. Throws InputError; OverflowError for an uncountably large layer.
std::vector<WorkloadLayer> read_workload(const yaml::Node& root);

/// True for a file resembling a ZigZag workload, sound or not.
bool is_workload(const yaml::Node& root);

}  // namespace tilewright::zigzag
