// Energy and area reference tables (Accelergy's ERT and ART): precomputed numbers per component.
#pragma once

#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "timeloop/machine/machine.hpp"

namespace tilewright::timeloop {

/// The component of a table: "system.PE[0..15].buffer[0..3]" -> "buffer".
std::string component_name(const std::string& path);

/// The table of component `name` in section "ERT" or "ART" of `root`, else in its summary (ERT_summary); or null.
/// Tables match by the last part of their dotted names, without ranges. Two tables for one component are refused.
const yaml::Node* find_table(const yaml::Node& root, const std::string& section, const std::string& name);

/// Action names for the energy of a read, a fill, an update and an operation, preferred one first.
const std::vector<std::string>& read_actions();
const std::vector<std::string>& fill_actions();
const std::vector<std::string>& update_actions();
const std::vector<std::string>& compute_actions();

/// Puts the tables' energies and areas into `architecture`, except for a given vector_access_energy. Refuses tables of
/// missing components.
void apply_tables(const MachineFile& machine, Architecture& architecture);

}  // namespace tilewright::timeloop
