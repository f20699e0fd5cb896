// Reads machines: Timeloop's flat form, its v0.2-v0.3 tree and the v0.4 hierarchy, with ERT and ART tables, and the
// constraints that go with them.
#pragma once

#include <optional>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "timeloop/machine/constraint_names.hpp"
#include "workload/einsum.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// `root` is a loaded file with `architecture` (or `arch`), and optionally `ERT`, `ART`, `variables`, `components`.
/// Energies that are not given keep an empty source. Throws InputError at the offending place.
Architecture read_architecture(const yaml::Node& root);

/// All constraints of `root` for this einsum: those in place in a v0.4 architecture, and the sections
/// `architecture_constraints`, `mapspace_constraints`, `constraints`, `mapspace` of v0.3 files. Later ones narrow
/// earlier ones. `found`: where to add the names that are void, and what the user should know.
///
/// Names that the einsum has are its own. Where a file speaks of layers (workload/shapes.hpp) and the einsum plays
/// their parts under other names, the file holds for what plays them (workload/layer_roles.hpp), unless `unnamed` is
/// refuse or ignore.
Constraints read_constraints(const yaml::Node& root, const Architecture& architecture, const Einsum& einsum,
                             Unnamed unnamed = Unnamed::ignore_in_zoo, VoidNamesByFile* found = nullptr);

/// The dimensions (of extent 1) and tensors that the constraints name.
Einsum names_in_constraints(const yaml::Node& root, const Architecture& architecture);

/// What can be wrong with constraints whatever the problem: reads them for one that has just the dimensions and tensors
/// they name. Throws InputError.
void check_constraints(const yaml::Node& root, const Architecture& architecture);

}  // namespace tilewright::timeloop
