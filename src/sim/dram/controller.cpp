#include "sim/dram/controller.hpp"

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

}  // namespace tilewright::sim::dram
