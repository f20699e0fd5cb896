// Our own latency model of an uneven mapping on memories with ports (`--latency stalls`).
//
// It keeps what is good in ZigZag's: transfers share ports, a single buffer can be refilled only while nothing in it is
// needed, stalls follow from the windows of all transfers on a port, loading and unloading hide behind spare bandwidth.
// It mends what ZigZag gets wrong; docs/zigzag.md lists each fault with what is counted instead:
//
//  * iterations and tiles are whole numbers that cover the layer, no more and no less (no ceiling of rounded quotients,
//    no truncated unrolling);
//  * the positions of a dilated window are counted exactly;
//  * partial sums are not read back before there are any;
//  * what hides behind spare bandwidth hides at most as long as it is, so that loading is never negative;
//  * boundaries that half share a port all count;
//  * both ends of a transfer have to keep up, not each port for itself;
//  * the outermost loops over a sliding window stream, so that less has to be there at a time;
//  * forced double buffers and the latencies of memories count.
//
// Pure functions of values; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "zigzag/accounting/zigzag.hpp"

namespace tilewright::stalls {

struct Result {
    /// Set when the accelerator cannot carry out the mapping; nothing below is meaningful then.
    std::string refusal;

    zigzag::Latency latency;
    std::vector<zigzag::PortCost> ports;             ///< those in use
    std::vector<std::vector<bool>> double_buffered;  ///< [operand][level]
};

/// Requires derived values and a legal unrolling. Throws OverflowError.
Result latency(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
               const zigzag::ArrayUnrolling& unrolling, const zigzag::UnevenMapping& mapping);

}  // namespace tilewright::stalls
