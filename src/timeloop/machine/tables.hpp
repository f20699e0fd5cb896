// Energy and area reference tables (Accelergy's ERT and ART): numbers that were computed for the components of a
// machine.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

/// The component that a table is of: "system.PE[0..15].buffer[0..3]" -> "buffer".
std::string component_name(const std::string& path);

/// The table of the component `name` in section "ERT" or "ART" of `root`, or, where there is
/// none, in the summary of it (ERT_summary); or null. Tables are matched by the last part
/// of their dotted names, without ranges. Two tables for one component are refused.
const yaml::Node* find_table(const yaml::Node& root, const std::string& section, const std::string& name);

/// Names of the actions whose energy is that of a read, a fill, an update and an operation, the preferred one first.
const std::vector<std::string>& read_actions();
const std::vector<std::string>& fill_actions();
const std::vector<std::string>& update_actions();
const std::vector<std::string>& compute_actions();

/// Puts the energies and areas of the tables into `architecture`, except where the file gives a vector_access_energy.
/// Refuses tables for components that do not exist.
void apply_tables(const MachineFile& machine, Architecture& architecture);

}  // namespace tilewright::timeloop
