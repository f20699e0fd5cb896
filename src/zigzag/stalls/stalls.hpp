// Our own latency model of an uneven mapping on memories with ports (`--latency stalls`).
//
// From ZigZag: transfers share ports, a single buffer is refilled only while its contents are not needed, stalls follow
// from the windows of all transfers on a port, loading and unloading hide behind spare bandwidth. Corrections
// (docs/zigzag.md lists each fault):
//
//  * iterations and tiles are integers and cover the layer exactly (no ceiling of rounded quotients, no truncated
//    unrolling);
//  * the positions of a dilated window are counted exactly;
//  * partial sums are not read back before there are any;
//  * a transfer hides at most its own length behind spare bandwidth: loading is never negative;
//  * all boundaries with half-shared ports count;
//  * both ends of a transfer have to keep up, not each port for itself;
//  * the outermost loops over a sliding window stream, with less data needed at a time;
//  * forced double buffers and memory latencies count.
//
// Pure functions of values; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zigzag/accounting/zigzag.hpp"
#include "zigzag/stalls/tiles.hpp"

namespace tilewright::stalls {

struct Result {
    /// Set if the accelerator cannot run the mapping; the fields below are then meaningless.
    std::string refusal;

    zigzag::Latency latency;
    std::vector<zigzag::PortCost> ports;             ///< those in use
    std::vector<std::vector<bool>> double_buffered;  ///< [operand][level]
};

/// Requires derived values and a legal unrolling. Throws OverflowError.
Result latency(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
               const zigzag::ArrayUnrolling& unrolling, const zigzag::UnevenMapping& mapping);

// Exposed time before the first and after the last computation. Internal to stalls/.

struct Loading {
    double onloading_cycles = 0.0;
    double offloading_cycles = 0.0;
};

/// `computation`: cycles with spare bandwidth for one-time transfers.
Loading loading(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
                const std::vector<OperandTraffic>& traffic, std::int64_t computation);

/// Takes `surplus` off the longest transfers, evenly among equals, none below its least.
void hide(std::vector<double>& cycles, const std::vector<double>& least, double surplus);

}  // namespace tilewright::stalls
