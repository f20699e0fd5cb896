// Reads the section `device` of a machine's files, Tilewright's own:
//
//     device:
//       memory_bytes: 80.0e9     # of the outermost memory; default: the architecture's capacity
//       power_watts: 700         # power limit of the data sheet; default: none
//       links: {bytes_per_us: 450.0e3, latency_us: 1.0, energy_pj_per_byte: 10}    # to other devices; default energy:
//       0
#pragma once

#include "arch/device.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Empty without such a section. Throws InputError at the place: missing_key, unknown_key, wrong_type, bad_value.
Device read_device(const yaml::Node& root);

}  // namespace tilewright::timeloop
