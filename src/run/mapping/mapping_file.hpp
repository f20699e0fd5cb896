// The mappings of a network as one file (docs/mappings.md): `layers`, each entry with the names of layers, the extents
// that they are padded to, if any, and their mapping; of a single shape that is not padded: `mapping` alone. Timeloop's
// directives are read in place of a list of stores and loops.
//
//     write_file("mapping.yaml", mapping_file(report));
//     const std::vector<LayerMapping> again = read_mapping_file(timeloop::load({"mapping.yaml"}), network, machine);
#pragma once

#include <set>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapping/mapping.hpp"
#include "report/report.hpp"
#include "run/mapping/layer_mapping.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "workload/network.hpp"
#include "yaml/node.hpp"

namespace tilewright {

/// "" for a single layer without a mapping; layers of a network without one are named in a comment.
std::string mapping_file(const report::Report& report);

/// The same of one shape, whose layers have these names; it maps `einsum`, which may be the layer with padding.
std::string shape_mapping_file(const std::vector<std::string>& names, const Mapping& mapping, const Einsum& einsum,
                               const Einsum& unpadded, const Architecture& architecture);

/// True for a tree that read_mapping_file() reads.
bool has_mappings(const yaml::Node& root);

/// The network with its layers as large as the mappings want them: where an entry says `padded: {M: 32}`. Throws
/// InputError there for a dimension that the layer lacks or that would be smaller.
Network padded_as_mapped(const yaml::Node& root, Network network);

/// In network order, of a network that padded_as_mapped() returned; layers that `left_out` names are passed over.
/// Throws InputError for a layer that the network lacks or that is named twice, and what timeloop::read_mapping()
/// throws.
std::vector<LayerMapping> read_mapping_file(const yaml::Node& root, const Network& network,
                                            const Architecture& architecture,
                                            timeloop::Remainders remainders = timeloop::Remainders::as_written,
                                            const std::set<std::string>& left_out = {});

/// The layers (indices) that none of the mappings is of.
std::vector<int> layers_without(const std::vector<LayerMapping>& mappings, const Network& network);

}  // namespace tilewright
