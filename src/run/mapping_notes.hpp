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

/// Sentences: accounting switches that the rules ignore; tensors that the outermost memory does not keep, whose way
/// from there is not counted; constraints that do not fit the layer. `constraints` may throw InputError.
std::vector<std::string> mapping_notes(const Layer& layer, const Architecture& architecture, const Mapping& mapping,
                                       Rules rules, const ConstraintsOf& constraints);

}  // namespace tilewright
