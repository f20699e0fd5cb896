// Reads machines (Timeloop's flat form, its v0.2-v0.3 tree and the v0.4 hierarchy) with ERT and ART tables and
// constraints.
// The wires between the levels: one inferred from each memory's attributes, or the file's networks, connected by
// `network_read`, `network_fill`, `network_update` and `network_drain`.
#pragma once

#include <optional>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "timeloop/machine/constraint_names.hpp"
#include "timeloop/machine/machine.hpp"
#include "workload/einsum.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// `root` is a loaded file with `architecture` (or `arch`), and optionally `ERT`, `ART`, `variables`, `components`.
/// Missing energies keep an empty source. Throws InputError at the offending place.
Architecture read_architecture(const yaml::Node& root);

/// All constraints of `root` for this einsum: those in place in a v0.4 architecture, and the sections
/// `architecture_constraints`, `mapspace_constraints`, `constraints`, `mapspace` of v0.3 files. Later ones narrow
/// earlier ones. `found` collects void names and remarks for the user.
///
/// Names of the einsum are its own. If a file speaks of layers (workload/shapes.hpp) and the einsum has the same roles
/// under other names, the rules hold by role (workload/layer_roles.hpp), unless `unnamed` is refuse or ignore.
Constraints read_constraints(const yaml::Node& root, const Architecture& architecture, const Einsum& einsum,
                             Unnamed unnamed = Unnamed::ignore_in_zoo, VoidNamesByFile* found = nullptr);

/// The dimensions (of extent 1) and tensors named by the constraints.
Einsum names_in_constraints(const yaml::Node& root, const Architecture& architecture);

/// Problem-independent errors of constraints: reads them for an einsum of just the named dimensions and tensors. Throws
/// InputError.
void check_constraints(const yaml::Node& root, const Architecture& architecture);

/// Sets Memory::link and update_link of every memory. `architecture` has the machine's memories in order.
void connect_networks(const MachineFile& machine, Architecture& architecture);

}  // namespace tilewright::timeloop
