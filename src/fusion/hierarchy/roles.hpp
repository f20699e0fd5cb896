// What a machine demands of mappings, asked for an einsum of a cascade: its rules speak of layers, an einsum of a
// cascade has names of its own (mapspace/roles/role_rules.hpp). Weights are what the cascade declares so.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "mapspace/roles/role_rules.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::fusion {

/// What mappings of a layer have to be like; throws what it likes.
using DemandsOf = std::function<Constraints(const Einsum&)>;

/// Of every einsum, in its own dimensions and operands, as rules_by_role() has them. Of machines that demand anything,
/// operands beyond the second one come from the shared buffer. `problem`: set to what cannot be said of an einsum, in
/// words.
std::vector<Constraints> demands_of(const Cascade& cascade, const Architecture& architecture, const DemandsOf& demands,
                                    std::string& problem);

}  // namespace tilewright::fusion
