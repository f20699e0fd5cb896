// Mappings as a plain list of stores and loops, outermost first: the form of mapping.yaml (docs/mappings.md), complete
// for every mapping.
//
//     mapping:
//       - {store: DRAM, tensors: [Weights, Inputs, Outputs]}
//       - {loop: K, extent: 4}
//       - {store: Buffer, tensors: [Outputs], no_coalesce: [Outputs]}  # switches of Timeloop's accounting
//       - {loop: P, extent: 7, across: X}
//       - {loop: P, extent: 2, remainder: 1, across: Y}  # runs once in its last step
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "mapping/text.hpp"
#include "workload/einsum.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// True for a list whose first entry is a store or a loop.
bool is_nest(const yaml::Node& list);

/// Throws InputError: unknown_level, unknown_tensor, unknown_name, factor_product, bad_value for an order of stores and
/// loops impossible in any machine (mapping/uneven.hpp).
Mapping read_nest(const yaml::Node& list, const Einsum& einsum, const Architecture& architecture);

/// Places of its stores and loops: every entry is a node.
MappingPlaces nest_places(const yaml::Node& list);

/// Inverse of read_nest, under `mapping`. Requires a nest of the machine (std::invalid_argument otherwise).
std::string write_nest(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture);

// Notations inside mapping directives: factors ("C4 R=3 P 2 K=4,3") and permutations ("RSC" or [R, S, C]).

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
