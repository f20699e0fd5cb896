// From attributes to a Memory or a Compute: spellings, defaults and consistency rules (docs/timeloop-inputs.md,
// "Attributes").
#pragma once

#include "arch/architecture.hpp"
#include "timeloop/machine/machine.hpp"
#include "timeloop/machine/passing.hpp"

namespace tilewright::timeloop {

/// Everything but the networks (networks.hpp) and the ERT and ART (tables.hpp).
Memory memory_of(const Component& component, const MachineFile& machine, const Clock& clock);
Compute compute_of(const Component& component, const MachineFile& machine);

/// "given in arch.yaml:12"
std::string given_at(const yaml::Node& node);

/// A technology in the estimators' spelling: "45" is "45nm"; placeholders ("SET ME", -1) and DRAM are "".
std::string technology_of(const Attributes& attributes, const MachineFile& machine);

}  // namespace tilewright::timeloop
