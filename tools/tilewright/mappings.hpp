// The mappings in what the user gave: Timeloop's `mapping` for a single layer, or the `layers` that `tilewright map -o`
// writes for a network.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.hpp"
#include "inputs.hpp"
#include "mapping/mapping.hpp"
#include "workload/network.hpp"
#include "yaml/node.hpp"

namespace tilewright::cli {

/// A layer (index into Network::layers) and its mapping.
using LayerMapping = std::pair<int, Mapping>;

/// What the user should know about what a given mapping ignores: constraints that do not fit the layer, Timeloop's
/// switches.
std::vector<std::string> notes_about(Inputs& inputs, const Layer& layer, const Architecture& architecture,
                                     const Mapping& mapping, const std::string& account);

bool has_mappings(const yaml::Node& root);

/// The layers (indices) that none of the mappings is of.
std::vector<int> layers_without(const std::vector<LayerMapping>& mappings, const Network& network);

/// In network order. Throws InputError for a layer that the network lacks or that is named twice, and what read_mapping
/// throws.
std::vector<LayerMapping> read_mappings(const Inputs& inputs, const Network& network, const Architecture& architecture);

}  // namespace tilewright::cli
