#include "sim/dram/controller.hpp"

#include <algorithm>

#include "sim/dram/device.hpp"
#include "sim/dram/first_ready.hpp"
#include "sim/dram/round_robin.hpp"

namespace tilewright::sim::dram {

std::string problem_with(const Device& device, const ControllerOptions& options) {
    if (options.queue < 1) return "the queues of a memory controller hold at least one request";
    if (options.scheduling != Scheduling::round_robin) return "";
    if (device.bus != CommandBus::single)
        return "the round-robin controller gives one command per clock, which " + device.name + " is not made for";
    if (options.round_robin.commands < 2) return "a queue of commands holds those of one request, two, at least";
    if (options.round_robin.row_hits < 1) return "an open row has to serve one more access at least";
    return "";
}

std::unique_ptr<Controller> controller_of(const Device& device, const ControllerOptions& options) {
    if (options.scheduling == Scheduling::round_robin) return std::make_unique<RoundRobin>(device, options);
    return std::make_unique<FirstReady>(device, options);
}

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
