// Our machines, cascades, layers and mappings as AccelForge's files. Tensors called like its sets (`Inputs`, ..) get a
// `T_` in front, dimensions become rank variables in small letters. docs/coming-from-accelforge.md says what is lost.
#pragma once

#include <string>

#include "arch/architecture.hpp"
#include "base/notes.hpp"
#include "mapping/mapping.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::accelforge {

/// Energies and areas as they stand in `architecture`. What the file cannot say becomes a note.
std::string machine_text(const Architecture& architecture, Notes& notes);

/// `bits`: of words that have no width of their own.
std::string workload_text(const Cascade& cascade, std::int64_t bits);
std::string workload_text(const Einsum& layer, std::int64_t bits);

/// A store stands above the loops that do not move its tensor, as AccelForge would fill it again in their every trip;
/// where a fan-out lies between, `notes` says how often it does. Throws InputError(unsupported) for a loop with a
/// remainder, which AccelForge counts as a mean.
std::string mapping_text(const Mapping& mapping, const Einsum& layer, const Architecture& architecture, Notes& notes);

}  // namespace tilewright::accelforge
