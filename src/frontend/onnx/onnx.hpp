// Reads ONNX models: every operator that is a contraction becomes a layer, every other one is listed as not mapped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "workload/network.hpp"

namespace tilewright::onnx {

struct Options {
    /// Extents for symbolic dimensions, by name ("batch_size": 1). A symbolic dimension that is not here is 1 when it is a leading batch
    /// dimension and an error otherwise, naming the dimension and this option.
    std::map<std::string, std::int64_t> dimensions;
};

/// Throws InputError for files that are not ONNX, are truncated, or whose shapes cannot be inferred.
Network read_onnx(const std::filesystem::path& path, const Options& options = {});

}  // namespace tilewright::onnx
