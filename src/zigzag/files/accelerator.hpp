// Reads ZigZag accelerators.
#pragma once

#include "yaml/node.hpp"
#include "zigzag/values/accelerator.hpp"

namespace tilewright::zigzag {

/// `root`: a parsed file with `memories` and `operational_array`. Throws InputError.
Accelerator read_accelerator(const yaml::Node& root);

/// True for a file resembling a ZigZag accelerator, sound or not.
bool is_accelerator(const yaml::Node& root);

}  // namespace tilewright::zigzag
