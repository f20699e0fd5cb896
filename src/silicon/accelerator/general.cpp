#include "silicon/accelerator/general.hpp"

namespace tilewright::silicon {

KernelMachine without_form(const Accelerator& machine, int unit_level) {
    constexpr double kInletBytesPerCycle = 64.0;
    constexpr std::int64_t kMostResults = 32768;
    const DataSheet& sheet = machine.sheet;
    KernelMachine general;
    general.operations_per_us = sheet.operations_per_us;
    general.memory_bytes_per_us = sheet.memory_bytes_per_us;
    general.clock_per_us = sheet.clock_per_us;
    general.multiprocessors = static_cast<std::int64_t>(sheet.multiprocessors);
    general.unit_level = unit_level;
    general.inlet_bytes_per_us = kInletBytesPerCycle * sheet.clock_per_us;
    general.cache_bytes = sheet.cache_bytes;
    general.exponentials_per_us = sheet.exponentials_per_cycle * sheet.clock_per_us;
    for (const std::int64_t rows : {16, 32, 64, 96, 128, 160, 192, 224, 256})
        for (const std::int64_t columns : {64, 96, 128, 160, 192, 224, 256})
            if (rows * columns <= kMostResults) general.tiles.push_back({rows, columns});
    general.splits = {1, 2, 4, 8, 16};
    general.calibration.launch_us = machine.calibrated.launch_us;
    general.calibration.bandwidth_share = machine.calibrated.bandwidth_share;
    general.calibration.rate_share = machine.calibrated.rate_share;
    return general;
}

}  // namespace tilewright::silicon
