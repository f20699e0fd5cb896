// Reads the section `device` of a machine's files, which is Tilewright's own:
//
//     device:
//       memory_bytes: 80.0e9     # of the outermost memory; left out: as large as the architecture says
//       power_watts: 700         # that its data sheet limits it to; left out: not limited
//       links: {bytes_per_us: 450.0e3, latency_us: 1.0, energy_pj_per_byte: 10}    # to other devices; energy: else 0
#pragma once

#include "arch/device.hpp"
#include "yaml/node.hpp"

namespace tilewright::timeloop {

/// Without anything where `root` has no such section. Throws InputError at the place: missing_key, unknown_key,
/// wrong_type, bad_value.
Device read_device(const yaml::Node& root);

}  // namespace tilewright::timeloop
