// Maps from sets of tensors to values, as in `bits_per_value: {QK: 16, Other: 8}`.
#pragma once

#include <optional>
#include <vector>

#include "accelforge/expression/value.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// The entry that covers each tensor of the einsum; null where none does. `Other` is what the other keys leave. Throws
/// InputError: duplicate_key where two keys cover one tensor.
std::vector<const yaml::Node*> entries_by_tensor(const yaml::Node& map, const Names& names, std::size_t tensors);

/// The numbers of these entries, `missing` where there is none. They may be expressions. Throws InputError(bad_value)
/// for one that is not above 0.
std::vector<double> values_by_tensor(const yaml::Node& map, const Names& names, std::size_t tensors, double missing);

}  // namespace tilewright::accelforge
