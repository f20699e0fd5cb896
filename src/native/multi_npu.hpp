// Multi-core machines around one scratchpad as YAML (docs/schedule.md): files, and the zoo data/multi_npu.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/problem/machine.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// The `multi_npu` section of a document. Throws InputError at a missing, unknown or too small value.
schedule::MultiNpu read_multi_npu(const yaml::Node& root);

struct ZooMultiNpu {
    std::string name;
    std::string description;  ///< the first line of its file
};

/// In alphabetical order.
std::vector<ZooMultiNpu> zoo_multi_npus();

/// Throws InputError(unknown_name) with the nearest name.
schedule::MultiNpu zoo_multi_npu(std::string_view name);

/// The file of a zoo machine. Throws like zoo_multi_npu.
std::string_view zoo_multi_npu_file(std::string_view name);

}  // namespace tilewright::native
