// What a machine demands of mappings, asked for an einsum of a cascade.
//
// Machines say what they demand in the names of layers (workload/shapes.hpp): rows of a filter across columns, weights
// that pass the buffer by. An einsum of a cascade has names of its own, so every dimension and operand of it is given
// the one whose part it plays, as workload/cascade/layers.hpp does; several may play one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arch/architecture.hpp"
#include "mapspace/constraints.hpp"
#include "workload/cascade/cascade.hpp"

namespace tilewright::fusion {

/// What mappings of a layer have to be like; throws what it likes.
using DemandsOf = std::function<Constraints(const Einsum&)>;

/// Of every einsum, in its own dimensions and operands; FactorConstraint::exactly is 0 where it is to be the whole
/// extent, whatever box of the einsum is mapped. Of machines that demand anything, operands beyond the second one come
/// from the shared buffer. `problem`: set to what cannot be said of an einsum, in words.
std::vector<Constraints> demands_of(const Cascade& cascade, const Architecture& architecture, const DemandsOf& demands,
                                    std::string& problem);

/// For a box of the einsum.
Constraints demands_on(const Constraints& demands, const std::vector<std::int64_t>& extents);

}  // namespace tilewright::fusion
