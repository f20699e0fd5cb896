// The mappings in what the user gave: Timeloop's `mapping` for a single layer, or the `layers` that `tilewright map -o`
// writes for a network.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "inputs/inputs.hpp"
#include "mapping/mapping.hpp"
#include "run/mapping/mapping_file.hpp"
#include "workload/network.hpp"

namespace tilewright::cli {

/// What the user should know about what a given mapping ignores: constraints that do not fit the layer, Timeloop's
/// switches.
std::vector<std::string> notes_about(Inputs& inputs, const Layer& layer, const Architecture& architecture,
                                     const Mapping& mapping, const std::string& account);

/// read_mapping_file() of what the user gave, as they want it read.
std::vector<LayerMapping> read_mappings(const Inputs& inputs, const Network& network, const Architecture& architecture);

/// The same where a verb works on mappings: throws InputError(usage) where there is none of any layer.
std::vector<LayerMapping> given_mappings(const std::string& verb, const Inputs& inputs, const Network& network,
                                         const Architecture& architecture);

}  // namespace tilewright::cli
