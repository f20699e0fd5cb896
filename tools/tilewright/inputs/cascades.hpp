// Networks as cascades: which of those that the user names are, and reading them (docs/fusion.md).
#pragma once

#include <optional>
#include <string>

#include "inputs/inputs.hpp"
#include "workload/cascade/cascade.hpp"

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

}  // namespace tilewright::cli
