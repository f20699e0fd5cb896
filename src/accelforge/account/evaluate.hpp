// What a mapping costs by AccelForge's own rules (docs/coming-from-accelforge.md): actions, energy, time, room.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "accelforge/values/machine.hpp"
#include "accelforge/values/mapping.hpp"
#include "accelforge/values/workload.hpp"

namespace tilewright::accelforge {

/// Of all instances and repeats of an einsum. `tensor` is empty for what compute units do.
struct ActionCount {
    std::string component;
    std::string tensor;
    std::string action;
    double count = 0.0;
    double energy_j = 0.0;
};

struct NamedFigure {
    std::string name;
    double value = 0.0;
};

struct EinsumCosts {
    std::string einsum;
    std::vector<ActionCount> actions;
    std::vector<NamedFigure> leak_j;   ///< by component, those at rest too
    std::vector<NamedFigure> seconds;  ///< by component that does something
    double energy_j = 0.0;
    double latency_s = 0.0;  ///< the largest of `seconds`
};

struct MemoryUse {
    std::string memory;
    double bits = 0.0;  ///< the most that one instance holds
    double size_bits = 0.0;
};

struct Costs {
    std::vector<EinsumCosts> einsums;  ///< in the workload's order, those that the mapping has
    std::vector<MemoryUse> memories;
    std::vector<std::string> failures;  ///< memories that are too small
    double energy_j = 0.0;
    double latency_s = 0.0;  ///< einsums one after the other
};

/// The machine as each einsum sees it.
using MachineFor = std::function<MachineSpec(const EinsumSpec&)>;

/// Throws InputError at the mapping's node for what is no mapping of this workload on this machine.
Costs evaluate(const Workload& workload, const MachineFor& machine_for, const MappingTree& mapping);

}  // namespace tilewright::accelforge
