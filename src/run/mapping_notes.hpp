// What a user should know about what the evaluation of a given mapping leaves out.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "run/evaluate_layer.hpp"
#include "run/map_network.hpp"
#include "workload/network.hpp"

namespace tilewright {

/// Where a given mapping spreads a dimension over more neighbours than the constraints let it: constraints bind
/// searches, but what neighbours share by wire no mapping can give each its own.
std::vector<std::string> spread_notes(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                      const Constraints& constraints);

/// Sentences: accounting switches that the rules ignore; tensors that the outermost memory does not keep, whose way
/// from there is not counted; constraints that do not fit the layer, and what
/// spread_notes() has. `constraints` may throw InputError.
std::vector<std::string> mapping_notes(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                       Rules rules, const ConstraintsOf& constraints);

}  // namespace tilewright
