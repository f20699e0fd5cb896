// Maps from sets of tensors to values, as in `bits_per_value: {QK: 16, Other: 8}`.
#pragma once

#include <optional>
#include <vector>

#include "accelforge/expression/value.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// The entry covering each tensor of the einsum, or null. `Other` covers the rest. Throws InputError: duplicate_key if
/// two keys cover one tensor.
std::vector<const yaml::Node*> entries_by_tensor(const yaml::Node& map, const Names& names, std::size_t tensors);

/// The numbers of these entries (possibly expressions), `missing` by default. Throws InputError(bad_value) unless above
/// 0.
std::vector<double> values_by_tensor(const yaml::Node& map, const Names& names, std::size_t tensors, double missing);

}  // namespace tilewright::accelforge
