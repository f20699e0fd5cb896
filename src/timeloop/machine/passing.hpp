// Components that hold nothing, and fan-outs without sharing: the parts of CiMLoop's machines between memories.
//
// Words are counted where they are sent on. A fan-out whose neighbours share no words of a tensor counts them neighbour
// by neighbour, so a component outside it that words pass stands inside it just as well, where the exact model counts
// them so.
#pragma once

#include "arch/architecture.hpp"
#include "base/notes.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

// The machine's clock from its components and variables: a period or a frequency, with its unit.

struct Clock {
    double cycle_seconds = 1e-9;
    bool assumed = true;  ///< none is given
};

/// global_cycle_seconds, else the components' common clock (cycle_seconds, cycle_time, frequency, clock_frequency).
/// Throws InputError if they differ.
Clock clock_of(const MachineFile& machine);

/// `no_coalesce` of some tensor, or `no_reuse` without a loop (`factors_only: []`).
bool holds_nothing(const yaml::Node& component);

/// `no_reuse` of a result with loops: each arrival is added, and pays.
bool is_latch(const yaml::Node& component);

/// One entry for each tensor that `node` keeps, at the machine's last level. Throws InputError for "*".
void add_passing(Component component, const yaml::Node& node, MachineFile& machine);

/// Keeps `no_reuse` of the fan-out `level`.
void note_unshared(const yaml::Node& node, const std::string& level, MachineFile& machine);

/// A free memory outside for tensors that pass components and that no memory keeps.
void hold_outside(MachineFile& machine);
constexpr const char* kOutside = "outside";

/// Moves passing components inside fan-outs that share none of their words, and finds what those fan-outs bind.
void place_by_sharing(MachineFile& machine);

/// Passages, leakage and area of passing components, as parts of their levels.
void apply_passing(const MachineFile& machine, const Clock& clock, Architecture& architecture);

}  // namespace tilewright::timeloop
