// From a component's attributes to a Memory or a Compute: spellings, defaults and the rules between them
// (docs/timeloop-inputs.md, "Attributes").
#pragma once

#include "arch/architecture.hpp"
#include "timeloop/machine/clock.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

/// Everything but the networks (networks.hpp) and what the ERT and ART say (tables.hpp).
Memory memory_of(const Component& component, const MachineFile& machine, const Clock& clock);
Compute compute_of(const Component& component, const MachineFile& machine);

/// "given in arch.yaml:12"
std::string given_at(const yaml::Node& node);

/// A technology as estimators know it: "45" is "45nm"; placeholders ("SET ME", -1) and DRAM are "".
std::string technology_of(const Attributes& attributes, const MachineFile& machine);

}  // namespace tilewright::timeloop
