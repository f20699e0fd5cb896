// Energies and areas of compound components from those of their parts.
#pragma once

#include "arch/architecture.hpp"
#include "base/notes.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

/// Puts what their parts come to into the memories and the compute unit of `architecture` whose energies and areas
/// nothing else in the files gives. Wires inside a memory are as if its energy were estimated (arch/estimation).
void apply_parts(const MachineFile& machine, Architecture& architecture);

/// Names what no table knows of the components whose energies `root` does not give: in `notes`, or, if `strict`, as an
/// InputError(unsupported) at the first. Nothing where the machine cannot be read: its reader says why.
void note_uncounted(const yaml::Node& root, bool strict, Notes& notes);

}  // namespace tilewright::timeloop
