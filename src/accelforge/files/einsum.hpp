// One einsum of a workload, without its neighbours' data. Internal to files/.
// Maps from sets of tensors to values, as in `bits_per_value: {QK: 16, Other: 8}`.
#pragma once

#include <optional>
#include <vector>

#include "accelforge/expression/value.hpp"
#include "accelforge/values/workload.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// An einsum, with its parts dependent on the whole workload.
struct EinsumDraft {
    EinsumSpec einsum;
    std::vector<yaml::Node> conditions;  ///< texts: "0 <= m < 128 and m <= n"
    const yaml::Node* rank_sizes = nullptr;
    const yaml::Node* renames = nullptr;
    std::vector<const yaml::Node*> bits;  ///< by access; null: the workload's
    yaml::Node place;
    std::vector<yaml::Node> access_places;
};

/// A text, a map with `einsum`, or one written out. Throws InputError.
EinsumDraft read_einsum(const yaml::Node& entry);

/// "p + 2*r - 1" as terms over the variables, extended by new ones. Throws InputError at `place`.
Projection read_projection(const std::string& rank, std::string_view text, const yaml::Node& place,
                           std::vector<std::string>& variables);

/// The entry covering each tensor of the einsum, or null. `Other` covers the rest. Throws InputError: duplicate_key if
/// two keys cover one tensor.
std::vector<const yaml::Node*> entries_by_tensor(const yaml::Node& map, const Names& names, std::size_t tensors);

/// The numbers of these entries (possibly expressions), `missing` by default. Throws InputError(bad_value) unless above
/// 0.
std::vector<double> values_by_tensor(const yaml::Node& map, const Names& names, std::size_t tensors, double missing);

}  // namespace tilewright::accelforge
