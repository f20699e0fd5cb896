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

#include <string>

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

}  // namespace tilewright::timeloop
