#include "sim/dram/bus_time.hpp"

#include <algorithm>

#include "sim/dram/index.hpp"

namespace tilewright::sim::dram {

BusTime::BusTime(const Device& device)
    : timing_(device.timing),
      bus_per_rank_(device.organisation.own_data_bus),
      buses_(at(bus_per_rank_ ? device.organisation.ranks : 1)),
      refreshed_until_(at(device.organisation.ranks), 0) {}

/// Data follows its command at a fixed delay; the bus may have been idle before.
void BusTime::moves(const Access& access, Clock now, Counts& counts) {
    const int latency = access.write ? timing_.write : timing_.read;
    Bus& bus = buses_[bus_per_rank_ ? at(access.rank) : 0];
    const Clock data = now + latency;
    const Clock possible = std::max(bus.free_at, access.arrived + 1 + latency);
    const bool refreshed = refreshed_until_[at(access.rank)] > access.arrived;
    const Lost why = refreshed                   ? Lost::refresh
                     : access.opened             ? Lost::rows
                     : bus.write != access.write ? Lost::turnaround
                                                 : Lost::spacing;
    counts.busy += timing_.burst;
    counts.lost[static_cast<std::size_t>(why)] += std::max<Clock>(0, data - possible);
    bus = {data + timing_.burst, access.write};
}

void BusTime::refreshes(int rank, Clock now) { refreshed_until_[at(rank)] = now + timing_.refresh; }

}  // namespace tilewright::sim::dram
