#include "silicon/accelerator/accelerator.hpp"

#include <algorithm>
#include <limits>

#include "silicon/accelerator/kernels.hpp"

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

double collective_us(const Accelerator& machine, Collective what, double devices, double bytes) {
    const double peers = devices - 1.0;
    const bool is_reduce = what == Collective::all_reduce;
    const double steps = what == Collective::all_to_all ? 1.0 : peers * (is_reduce ? 2.0 : 1.0);
    const double wire = (is_reduce ? 2.0 : 1.0) * peers / devices * bytes;
    const double link = machine.sheet.link_bytes_per_us * machine.calibrated.link_share;
    double best = std::numeric_limits<double>::infinity();
    for (const Protocol& protocol : machine.form.collective.protocols) {
        const double latency = (protocol.base_us + steps * protocol.step_us) * machine.form.collective.latency_factor;
        const double filling = 0.5 * std::min(bytes, protocol.chunk_bytes) / devices * steps;
        best = std::min(best, latency + (wire + filling) / (link * protocol.link_share));
    }
    return best;
}

double all_reduce_us(const Accelerator& machine, double devices, double bytes) {
    constexpr double kMostBytes = 8.0 * 1024.0 * 1024.0;  // that an engine's own kernel takes
    if (devices <= 1.0) return 0.0;
    const double ring = collective_us(machine, Collective::all_reduce, devices, bytes);
    if (bytes > kMostBytes) return ring;
    const OwnReduce& own = machine.form.collective.own;
    const double peers = devices - 1.0;
    const double link = machine.sheet.link_bytes_per_us * own.link_share;
    const double one_shot = own.base_us + own.peer_us * peers + bytes * peers / link;
    const double two_shots =
        own.base_us * own.two_shots + 2.0 * own.peer_us * peers + 2.0 * bytes * peers / devices / link;
    return std::min({one_shot, two_shots, ring});
}

}  // namespace tilewright::silicon
