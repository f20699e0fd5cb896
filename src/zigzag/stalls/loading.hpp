// Exposed time before the first and after the last computation. Internal to stalls/.
#pragma once

#include <cstdint>
#include <vector>

#include "zigzag/accounting/zigzag.hpp"
#include "zigzag/stalls/tiles.hpp"

namespace tilewright::stalls {

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
