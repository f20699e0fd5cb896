// One einsum of a workload, without its neighbours' data. Internal to files/.
#pragma once

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

}  // namespace tilewright::accelforge
