// The mappings of a network as one file: `layers`, each entry with the names of layers and their mapping; of a single
// layer: Timeloop's `mapping` alone.
//
//     write_file("mapping.yaml", mapping_file(report));
//     const std::vector<LayerMapping> again = read_mapping_file(timeloop::load({"mapping.yaml"}), network, machine);
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.hpp"
#include "frontend/timeloop/mapping/mapping.hpp"
#include "mapping/mapping.hpp"
#include "report/report.hpp"
#include "workload/network.hpp"
#include "yaml/node.hpp"

namespace tilewright {

/// A layer (index into Network::layers) and its mapping.
using LayerMapping = std::pair<int, Mapping>;

/// "" for a single layer without a mapping; layers of a network without one are named in a comment.
std::string mapping_file(const report::Report& report);

/// True for a tree that read_mapping_file() reads.
bool has_mappings(const yaml::Node& root);

/// In network order; layers that `left_out` names are passed over. Throws InputError for a layer that the network lacks
/// or that is named twice, and what timeloop::read_mapping() throws.
std::vector<LayerMapping> read_mapping_file(const yaml::Node& root, const Network& network,
                                            const Architecture& architecture,
                                            timeloop::Remainders remainders = timeloop::Remainders::as_written,
                                            const std::set<std::string>& left_out = {});

/// The layers (indices) that none of the mappings is of.
std::vector<int> layers_without(const std::vector<LayerMapping>& mappings, const Network& network);

}  // namespace tilewright
