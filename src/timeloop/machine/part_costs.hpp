// Energies and areas of compound components from those of their parts.
#pragma once

#include "arch/architecture.hpp"
#include "base/notes.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

/// Sets the costs of parts in the memories and the compute unit of `architecture` without energies and areas from the
/// files. Wires inside a memory as for an estimated energy (arch/estimation).
void apply_parts(const MachineFile& machine, Architecture& architecture);

/// The same of one memory, whatever holds its words.
void apply_parts(const Component& component, const MachineFile& machine, double cycle_ns, Memory& memory);

/// Reports untabulated parts of components without energies in `root`: in `notes`, or, if `strict`, as
/// InputError(unsupported) at the first. Silent for an unreadable machine: its reader reports.
void note_uncounted(const yaml::Node& root, bool strict, Notes& notes);

}  // namespace tilewright::timeloop
