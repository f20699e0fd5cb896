// Data movement between each operand's memory levels: size and frequency. ZigZag 3.8.5: zigzag/mapping/mapping.py.
#pragma once

#include <cstdint>
#include <vector>

#include "zigzag/accounting/nest.hpp"
#include "zigzag/accounting/spatial.hpp"
#include "zigzag/values/accelerator.hpp"
#include "zigzag/values/layer.hpp"

namespace tilewright::zigzag {

/// One direction at one memory level, per instance.
struct Flow {
    std::int64_t bits_per_cycle = 0;  ///< on average, truncated
    std::int64_t period = 0;          ///< cycles
    std::int64_t count = 0;           ///< periods
    std::int64_t elements = 0;        ///< per period
    std::int64_t precision_bits = 0;
    std::int64_t window = 0;                 ///< writable cycles per period of a single-buffered receiver
    std::int64_t bits_per_window_cycle = 0;  ///< on average over the windows
    std::int64_t moved = 0;  ///< total elements over all instances, by reuse alone; no cost depends on it

    bool operator==(const Flow&) const = default;
};

/// Indices a are architecture levels: 0 the units, l + 1 memory level l.
struct OperandMovement {
    UnitCounts units;
    std::vector<bool> partial;           ///< [a]: partial sums at this level (the result only)
    std::vector<std::int64_t> elements;  ///< [a]: in one instance
    std::vector<std::int64_t> bits;
    std::vector<std::int64_t> effective_bits;  ///< needed at a time: the outermost relevant loops stream
    std::vector<PerDirection<Flow>> flows;     ///< by memory level

    bool operator==(const OperandMovement&) const = default;
};

/// By operand. Requires a layer without problem on this accelerator. Throws OverflowError.
std::vector<OperandMovement> data_movement(const Layer& layer, const Nest& nest, const SpatialMapping& spatial);

}  // namespace tilewright::zigzag
