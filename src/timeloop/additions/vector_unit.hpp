// Reads the section `vector_unit` of a machine's files, which is Tilewright's own:
//
//     vector_unit:
//       memory: shared_glb                                # that it reads and writes
//       area: 5000                                        # um2; 0 when not given
//       add: {energy: 0.05, per_cycle: 64}                # pJ of one operation, and how many there are in a cycle
//       multiply: {energy: 0.2, per_cycle: 64}
//       divide: {energy: 0.8, per_cycle: 16}
//       exponential: {energy: 1.2, per_cycle: 16}
//       multiply_add: {energy: 0.25, per_cycle: 64}       # else as much as both, one after the other
#pragma once

#include <optional>

#include "arch/architecture.hpp"
#include "arch/vector_unit.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Nothing where `root` has no such section. Throws InputError at the place: missing_key, unknown_key, wrong_type,
/// bad_value, and unknown_level for a memory that `architecture` does not have.
std::optional<VectorUnit> read_vector_unit(const yaml::Node& root, const Architecture& architecture);

}  // namespace tilewright::timeloop
