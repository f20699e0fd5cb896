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

/// What a component class says where the file does not.
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

/// The machine as `einsum` sees it. Energies, throughputs and leakage that the file leaves to a component class come
/// from `figures`; where these have none either, energies and leakage are 0 and nothing waits, and `notes` says so.
/// `root` is a loaded tree. Throws InputError at its place.
MachineSpec read_machine(const yaml::Node& root, const EinsumSpec& einsum, const Figures& figures = {},
                         Notes* notes = nullptr);

/// Figures by machine and component, as AccelForge's component library gave them:
///     {"eyeriss": {"MainMemory": {"area": 0, "leak_power": 0, "actions": {"read": {"energy": 8e-12, "throughput":
///     1e9}}}}}
/// Throws InputError.
std::map<std::string, Figures> read_figures(const std::string& text, const std::string& file);

}  // namespace tilewright::accelforge
