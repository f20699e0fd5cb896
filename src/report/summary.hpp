// A run in a few numbers: bounds of its latency, waiting for memories, activations through the outermost memory.
//
//     const Summary all = summary(report);
//     all.bounds.front();             // {"DRAM", Bound::read_bandwidth, 12 layers, 4,567 cycles, 0.6 of all}
//     all.spilled->bytes;             // DRAM traffic between the layers
//
// Layers count with their repeats; those without an evaluation do not count. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace tilewright::report {

/// The layers bound by one resource.
struct BoundShare {
    std::optional<std::string> memory;  ///< none: the compute units, or the vector unit
    LatencyBound bound = LatencyBound::compute;
    std::string as_built = {};      ///< of times as built: their largest part
    bool waits_for_memory = false;  ///< that is a memory, or as built moving words
    std::int64_t layers = 0;
    std::int64_t cycles = 0;  ///< of these layers
    double share = 0.0;       ///< of all cycles
};

/// Words other than weights (all results, and operands not named Weights or W) at the outermost memory: layers mapped
/// one by one hand them on there.
struct SpilledActivations {
    std::string memory;
    double bytes = 0.0;  ///< read and written there
    /// Of each tensor once. More than `bytes` if strides skip words.
    double once_bytes = 0.0;
    double energy_pj = 0.0;  ///< of these accesses and the wires below
};

struct Summary {
    std::vector<BoundShare> bounds;  ///< most cycles first
    std::int64_t memory_bound_layers = 0;
    double memory_bound_share = 0.0;         ///< of the layers
    double memory_bound_cycles_share = 0.0;  ///< of the cycles
    std::optional<SpilledActivations> spilled;
};

/// Throws OverflowError.
Summary summary(const Report& report);

/// "DRAM read bandwidth", "compute units", "vector unit"; as built "load"
std::string resource_text(const BoundShare& bound);

/// A network's summary, a line each: bounds, activations, the machine.
std::string summary_lines(const Report& report);

/// The table of report.what_if; "" unless requested.
std::string what_if_text(const Report& report);

}  // namespace tilewright::report
