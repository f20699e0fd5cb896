// Rules of a machine for a layer, said of an einsum that has names of its own.
//
// The machine is asked about a layer in which every part is played once (layer_of_parts()); what it says is then said
// of the dimensions and operands of the einsum that play these parts (workload/layer_roles.hpp).
//
//     const LayerRoles roles = layer_roles(einsum);
//     const Einsum layer = layer_like(einsum, roles);
//     const Constraints own = rules_by_role(machine(layer), layer, einsum, roles, architecture, problem);
//     use(rules_on(own, extents_of(einsum)));
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "workload/einsum.hpp"
#include "workload/layer_roles.hpp"

namespace tilewright {

/// A layer of all parts and operands; of one operand: the weights have no axes. No rule names its extents by chance.
Einsum layer_of_parts(bool two_operands);

/// The same with the extents that its parts have in the einsum, all dimensions of a part together.
Einsum layer_like(const Einsum& einsum, const LayerRoles& roles);

/// What rules for such a layer say of the einsum. Operands without a role are free. FactorConstraint::exactly is 0
/// where it is to be the whole extent. `problem`: set to what cannot be said of the einsum, in words.
Constraints rules_by_role(const Constraints& of_layer, const Einsum& layer, const Einsum& einsum,
                          const LayerRoles& roles, const Architecture& architecture, std::string& problem);

/// For a box of the einsum: no bound is beyond its extents, and whole ones are what they are.
Constraints rules_on(const Constraints& rules, const std::vector<std::int64_t>& extents);

}  // namespace tilewright
