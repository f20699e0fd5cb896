// Device: a machine among several of its kind: outermost capacity, and links between devices.
//
// Values; thread-safe.
#pragma once

#include <optional>

namespace tilewright {

/// From each device to the others, all links together, in one direction.
struct Links {
    double bytes_per_us = 0.0;        ///< above 0
    double latency_us = 0.0;          ///< from the first byte sent to the first received
    double energy_pj_per_byte = 0.0;  ///< 0: not counted

    bool operator==(const Links&) const = default;
};

struct Device {
    std::optional<double> memory_bytes;  ///< of the outermost memory; empty: the architecture's
    std::optional<double> power_watts;   ///< limit of the data sheet; empty: unknown
    std::optional<Links> links;          ///< nothing: it stands alone

    bool operator==(const Device&) const = default;
};

}  // namespace tilewright
