// Transfers and their times at each boundary between two memories of an operand. Internal to stalls/.
#pragma once

#include <cstdint>
#include <vector>

#include "zigzag/accounting/zigzag.hpp"
#include "zigzag/stalls/tiles.hpp"

namespace tilewright::stalls {

/// One operand's transfer in one direction at one memory level. Both ends of a link carry it.
struct Transfer {
    std::int64_t bits = 0;    ///< per period, through the port of this end
    std::int64_t cycles = 0;  ///< per period, at the slower end
    std::int64_t period_cycles = 0;
    std::int64_t window_cycles = 0;
    std::int64_t count = 0;  ///< 0: there is none
};

/// One operand: [level] its transfers, and the sizes of its levels.
struct OperandTraffic {
    std::vector<zigzag::PerDirection<Transfer>> transfers;
    std::vector<std::int64_t> bits;            ///< [level], of one instance
    std::vector<std::int64_t> bits_at_a_time;  ///< [level]
};

std::vector<OperandTraffic> traffic_of(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
                                       const zigzag::Nest& nest, const zigzag::SpatialMapping& covering,
                                       const Extents& executed);

}  // namespace tilewright::stalls
