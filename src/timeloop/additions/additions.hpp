// Reads the section `vector_unit` of a machine's files, Tilewright's own:
//
//     vector_unit:
//       memory: shared_glb                                # source and destination
//       area: 5000                                        # um2; default: 0
//       add: {energy: 0.05, per_cycle: 64}                # pJ per operation, operations per cycle
//       multiply: {energy: 0.2, per_cycle: 64}
//       divide: {energy: 0.8, per_cycle: 16}
//       exponential: {energy: 1.2, per_cycle: 16}
//       multiply_add: {energy: 0.25, per_cycle: 64}       # default: multiply, then add
// Reads the section `device` of a machine's files, Tilewright's own:
//
//     device:
//       memory_bytes: 80.0e9     # of the outermost memory; default: the architecture's capacity
//       power_watts: 700         # power limit of the data sheet; default: none
//       links: {bytes_per_us: 450.0e3, latency_us: 1.0, energy_pj_per_byte: 10}    # to other devices; default energy:
//       0
#pragma once

#include <optional>

#include "arch/architecture.hpp"
#include "arch/device.hpp"
#include "arch/vector_unit.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Empty without such a section. Throws InputError at the place: missing_key, unknown_key, wrong_type, bad_value, and
/// unknown_level for a memory outside `architecture`.
std::optional<VectorUnit> read_vector_unit(const yaml::Node& root, const Architecture& architecture);

/// Empty without such a section. Throws InputError at the place: missing_key, unknown_key, wrong_type, bad_value.
Device read_device(const yaml::Node& root);

}  // namespace tilewright::timeloop
