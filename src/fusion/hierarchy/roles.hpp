// What a machine demands of mappings, asked for an einsum of a cascade: its rules speak of layers, an einsum of a
// cascade has names of its own (mapspace/roles/role_rules.hpp). Weights are what the cascade declares so.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "mapspace/roles/role_rules.hpp"
#include "workload/cascade/cascade.hpp"
#include "workload/words.hpp"

namespace tilewright::fusion {

/// What mappings of a layer have to be like; throws what it likes.
using DemandsOf = std::function<Constraints(const Einsum&)>;

/// Of every einsum, in its own dimensions and operands, as rules_by_role() has them. Of machines that demand anything,
/// operands beyond the second one come from the shared buffer. `problem`: set to what cannot be said of an einsum, in
/// words.
std::vector<Constraints> demands_of(const Cascade& cascade, const Architecture& architecture, const DemandsOf& demands,
                                    std::string& problem);

// Which dimensions of an einsum may go along which axis of a fan-out, by what a machine demands.

struct Axes {
    std::uint32_t along_x = 0;  ///< bit d: dimension d
    std::uint32_t along_y = 0;
    Mesh room;
};

/// `loops`: of the fan-out, of an einsum of so many dimensions. Where a split runs through dimensions whose place in
/// the order is free, these may go either way.
Axes axes_of(const LoopConstraint& loops, const Mesh& room, int dimensions);

// Einsums of a cascade whose leaves are alike: they differ in names and extents only, and the machine demands the same.

/// By einsum, the first one that is like it. `partial`: bits of partial sums by tensor of the cascade.
std::vector<int> first_alike(const Cascade& cascade, const std::vector<Constraints>& demands,
                             const PartialBits& partial = {});

}  // namespace tilewright::fusion
