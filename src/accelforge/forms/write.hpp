// Our machines, cascades, layers and mappings as AccelForge's files. Tensors named like its sets (`Inputs`, ..) get a
// `T_` prefix, dimensions become lower-case rank variables. docs/coming-from-accelforge.md lists the losses.
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "base/notes.hpp"
#include "mapping/mapping.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::accelforge {

/// Energies and areas of `architecture`. Inexpressible properties become notes.
std::string machine_text(const Architecture& architecture, Notes& notes);

/// `bits`: default word width.
std::string workload_text(const Cascade& cascade, std::int64_t bits);
std::string workload_text(const Einsum& layer, std::int64_t bits);

/// A store stands above irrelevant loops, as AccelForge would refill it in each of their trips; behind a fan-out,
/// `notes` gives the refills. Throws InputError(unsupported) for a loop with a remainder, a mean in AccelForge.
std::string mapping_text(const Mapping& mapping, const Einsum& layer, const Architecture& architecture, Notes& notes);

}  // namespace tilewright::accelforge
