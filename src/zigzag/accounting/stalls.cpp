#include <algorithm>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "zigzag/accounting/rounding.hpp"
#include "zigzag/accounting/steps.hpp"

namespace tilewright::zigzag {
namespace {

using enum Direction;

/// A refill may take its whole period if its destination, the lower memory, is double-buffered.
std::int64_t allowed_cycles(const Accelerator& accelerator, const Flow& flow, bool double_buffered) {
    return checked_mul(double_buffered ? flow.period : flow.window, accelerator.cycles_per_operation);
}

std::int64_t transfer_cycles(const Flow& flow, const Port* port) {
    if (port == nullptr || port->takes_no_time) return 0;
    const auto bits = static_cast<double>(checked_mul(flow.elements, flow.precision_bits));
    return rounded_up(bits / static_cast<double>(port->bandwidth_max_bits));
}

void add_transfers(const Accelerator& accelerator, const Operand& operand, const OperandMovement& movement,
                   std::vector<LevelCost>& levels) {
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const bool lower_buffered = l > 0 && levels[l - 1].double_buffered;
        for (const Direction direction : {read_down, write_from_below, read_up, write_from_above}) {
            const bool below = direction == read_down || direction == write_from_below;
            const Flow& flow = movement.flows[l][direction];
            levels[l].allowed_cycles[direction] =
                allowed_cycles(accelerator, flow, below ? lower_buffered : levels[l].double_buffered);
            levels[l].transfer_cycles[direction] =
                transfer_cycles(flow, accelerator.memories[levels[l].memory].port_for(operand.memory, direction));
        }
    }
}

std::vector<PortActivity> activities_of(const Accelerator& accelerator, const Layer& layer, const SharedMemory& memory,
                                        std::size_t port, const Result& result) {
    std::vector<PortActivity> activities;
    if (memory.ports[port].takes_no_time) return activities;
    for (const PortUse& use : memory.served_by[port]) {
        const int operand = find_operand(layer, use.operand);
        if (operand < 0) continue;
        const int level = memory.level_of(use.operand);
        const Flow& flow = result.movement_whole[operand].flows[level][use.direction];
        if (flow.count == 0) continue;
        const LevelCost& cost = result.levels[operand][level];
        activities.push_back(
            {operand, level, use.direction,
             checked_activity({cost.transfer_cycles[use.direction], cost.allowed_cycles[use.direction],
                               checked_mul(flow.period, accelerator.cycles_per_operation), flow.count})});
    }
    return activities;
}

void decide_stall(PortCost& port) {
    std::vector<Activity> transfers;
    transfers.reserve(port.activities.size());
    for (const PortActivity& activity : port.activities) transfers.push_back(activity.transfer);
    if (transfers.size() > 1) port.window_cycles = cycles_with_a_window(transfers);
    port.stall_cycles = port_stall(transfers);
}

}  // namespace

void add_stalls(const Accelerator& accelerator, const Layer& layer, Result& result) {
    for (std::size_t i = 0; i < layer.operands.size(); ++i)
        add_transfers(accelerator, layer.operands[i], result.movement_whole[i], result.levels[i]);
    result.latency.stall_cycles = 0;
    for (std::size_t m = 0; m < accelerator.memories.size(); ++m) {
        for (std::size_t p = 0; p < accelerator.memories[m].ports.size(); ++p) {
            PortCost port{static_cast<int>(m), static_cast<int>(p),
                          activities_of(accelerator, layer, accelerator.memories[m], p, result), 0, 0};
            if (port.activities.empty()) continue;
            decide_stall(port);
            result.latency.stall_cycles = std::max(result.latency.stall_cycles, port.stall_cycles);
            result.ports.push_back(port);
        }
    }
}

}  // namespace tilewright::zigzag
