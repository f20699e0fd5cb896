// Networks as cascades: which of those that the user names are, and reading them (docs/fusion.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "inputs/inputs.hpp"
#include "mapping/mapping.hpp"
#include "run/mapping/mapping_file.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/network.hpp"

namespace tilewright::cli {

/// "decoder.cascade": a cascade's text in a file.
bool is_cascade_file(const std::string& name);

/// Whether `net` is read as a cascade: names that the zoo has as cascades only and cascade files always, ONNX files and
/// bert-base where --cascade is given. Throws InputError(usage) for --cascade with a network that has none, and for
/// --phase with one that is none of the zoo's cascades.
bool is_cascade(const std::string& verb, const InputOptions& options, const std::string& net);
/// The same of --einsum: more than one statement.
bool has_cascade_text(const InputOptions& options);

/// Reads one of them. `notes`: what the user should know. Throws InputError; under --strict also where an operator that
/// computes is not covered.
Cascade read_cascade(const std::string& verb, const InputOptions& options, const std::string& net,
                     std::vector<std::string>& notes);
Cascade cascade_of_text(const std::string& verb, const InputOptions& options);

// The mappings in what the user gave: Timeloop's `mapping` for a single layer, or the `layers` that `tilewright map -o`
// writes for a network.

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
