// Energies and areas of compound components from those of their parts.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "arch/estimation/parts.hpp"
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

// Parts of a compound component (Accelergy's): those used by its actions, as known to an estimator, each with its
// attributes, copies, and action counts per action of the whole.

/// A part, action or class without energy or area in any table here.
struct Uncounted {
    yaml::Node place;
    std::string what;  ///< "part 'fifo' of class 'FIFO'"
};

struct CompoundParts {
    std::vector<Part> parts;  ///< empty: no compound, or no part with a tabulated class
    std::vector<Uncounted> uncounted;
    std::vector<yaml::Node> unused_actions;  ///< actions of the class without an energy here
};

/// Its subclass, where it has one.
std::string class_name(const Component& component);

/// Of a memory or a compute unit. Throws InputError: cyclic_inheritance, wrong types.
CompoundParts parts_of(const Component& component, const MachineFile& machine);

}  // namespace tilewright::timeloop
