// Notations inside mapping directives: factors ("C4 R=3 P 2 K=4,3") and permutations ("RSC" or [R, S, C]).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "workload/einsum.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

struct Factor {
    std::int64_t extent = 1;
    std::int64_t remainder = 1;
    bool has_remainder = false;  ///< it was written ("K=4,3")

    bool operator==(const Factor&) const = default;
};

/// By dimension; empty if absent. `node` is a text or a list of texts. A factor of 0 is the whole extent. Names may be
/// longer than a letter; without '=' the longest dimension name followed by digits counts.
std::vector<std::optional<Factor>> read_factors(const yaml::Node& node, const Einsum& einsum);

/// Dimensions in the given order. `node` is a text (names without separators: longest match) or a list.
std::vector<int> read_permutation(const yaml::Node& node, const Einsum& einsum);

}  // namespace tilewright::timeloop
