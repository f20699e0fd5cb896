// Cost of a mapping by AccelForge's own rules (docs/coming-from-accelforge.md): actions, energy, time, space.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "accelforge/values/machine.hpp"
#include "accelforge/values/mapping.hpp"
#include "accelforge/values/workload.hpp"

namespace tilewright::accelforge {

/// Over all instances and repeats of an einsum. `tensor` is empty for compute units.
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
    std::vector<NamedFigure> leak_j;   ///< by component, idle ones too
    std::vector<NamedFigure> seconds;  ///< by active component
    double energy_j = 0.0;
    double latency_s = 0.0;  ///< the largest of `seconds`
};

struct MemoryUse {
    std::string memory;
    double bits = 0.0;  ///< maximum per instance
    double size_bits = 0.0;
};

struct Costs {
    std::vector<EinsumCosts> einsums;  ///< in workload order, the mapped ones
    std::vector<MemoryUse> memories;
    std::vector<std::string> failures;  ///< memories too small
    double energy_j = 0.0;
    double latency_s = 0.0;  ///< einsums in sequence
};

using MachineFor = std::function<MachineSpec(const EinsumSpec&)>;

/// Throws InputError at the mapping's node unless it maps this workload on this machine.
Costs evaluate(const Workload& workload, const MachineFor& machine_for, const MappingTree& mapping);

}  // namespace tilewright::accelforge
