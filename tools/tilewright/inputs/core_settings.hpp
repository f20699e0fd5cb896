// --set of a machine of several cores: `cores=8`, `scratchpad_bytes=512KiB`, `dma.bytes_per_cycle=64`.
#pragma once

#include <string>
#include <vector>

#include "yaml/node.hpp"

namespace tilewright::cli {

/// The document with its section `multi_npu` changed, as if its file had been written so. `settings`: "NAME=VALUE",
/// where NAME is a path of keys in that section and VALUE a number, a number with a unit of bytes, or a word. Throws
/// InputError at the setting: unknown_key with the nearest name, bad_value for a unit that the key does not have.
yaml::Node with_core_settings(const yaml::Node& root, const std::vector<std::string>& settings);

}  // namespace tilewright::cli
