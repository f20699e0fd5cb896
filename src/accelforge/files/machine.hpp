// Reads AccelForge's machines: the section `arch`.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "accelforge/values/machine.hpp"
#include "accelforge/values/workload.hpp"
#include "base/notes.hpp"
#include "yaml/node.hpp"

namespace tilewright::accelforge {

/// Defaults of a component class.
struct ActionFigures {
    double energy_j = 0.0;
    double per_second = 0.0;  ///< 0: not known
};
struct ComponentFigures {
    std::optional<double> leak_w;
    std::optional<double> area_m2;
    std::map<std::string, ActionFigures> actions;
};
using Figures = std::map<std::string, ComponentFigures>;  ///< by component

/// The machine for `einsum`. Energies, throughputs and leakage left to a component class come from `figures`; without
/// any there, energies and leakage are 0 and nothing waits, with a note. `root` is a loaded tree. Throws InputError at
/// its place.
MachineSpec read_machine(const yaml::Node& root, const EinsumSpec& einsum, const Figures& figures = {},
                         Notes* notes = nullptr);

/// Figures by machine and component, from AccelForge's component library:
///     {"eyeriss": {"MainMemory": {"area": 0, "leak_power": 0, "actions": {"read": {"energy": 8e-12, "throughput":
///     1e9}}}}}
/// Throws InputError.
std::map<std::string, Figures> read_figures(const std::string& text, const std::string& file);

// One component of a machine. Internal to files/.

/// Context of a component: names for its expressions, and available figures.
struct ComponentContext {
    const EinsumSpec& einsum;
    const Names& names;  ///< variables, components before it
    const Names& kept;   ///< the same, with earlier memories standing for their possible tensors
    const ComponentFigures* figures = nullptr;
    Notes* notes = nullptr;
    const yaml::Node* attributes = nullptr;  ///< of the models of all components
};

/// Requires a node tagged !Memory, !Toll, !Compute or !Container. Throws InputError.
Component read_component(const yaml::Node& node, const ComponentContext& context);

}  // namespace tilewright::accelforge
