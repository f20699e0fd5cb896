// A machine's rules for a layer, transferred to an einsum with other names.
//
// The machine gets a layer with every part once (layer_of_parts()); its rules are transferred to the dimensions and
// operands of the einsum in the same roles (workload/layer_roles.hpp).
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

/// A layer of all parts and operands; of one operand: the weights have no axes. No rule has its extents by chance.
Einsum layer_of_parts(bool two_operands);

/// The same with the extents of the einsum's parts, all dimensions of a part together.
Einsum layer_like(const Einsum& einsum, const LayerRoles& roles);

/// The rules of such a layer for the einsum. Operands without a role are free. FactorConstraint::exactly is 0 for the
/// whole extent. `problem`: set to the rules without a counterpart, in words.
Constraints rules_by_role(const Constraints& of_layer, const Einsum& layer, const Einsum& einsum,
                          const LayerRoles& roles, const Architecture& architecture, std::string& problem);

/// For a box of the einsum: bounds are cut to its extents, and whole ones are set.
Constraints rules_on(const Constraints& rules, const std::vector<std::int64_t>& extents);

}  // namespace tilewright
