#include <algorithm>
#include <cmath>

#include "account/zigzag/rounding.hpp"
#include "account/zigzag/steps.hpp"
#include "base/checked.hpp"

namespace tilewright::zigzag {
namespace {

using enum Direction;

/// A refill may take its whole period when the memory that is refilled, the lower one, is double-buffered.
std::int64_t allowed_cycles(const Flow& flow, bool double_buffered) {
    return double_buffered ? flow.period : flow.window;
}

std::int64_t transfer_cycles(const Flow& flow, const Port* port) {
    if (port == nullptr) return 0;
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
                allowed_cycles(flow, below ? lower_buffered : levels[l].double_buffered);
            levels[l].transfer_cycles[direction] =
                transfer_cycles(flow, accelerator.memories[levels[l].memory].port_for(operand.memory, direction));
        }
    }
}

std::vector<PortActivity> activities_of(const Layer& layer, const SharedMemory& memory, std::size_t port,
                                        const Result& result) {
    std::vector<PortActivity> activities;
    for (const PortUse& use : memory.served_by[port]) {
        const int operand = find_operand(layer, use.operand);
        if (operand < 0) continue;
        const int level = memory.level_of(use.operand);
        const Flow& flow = result.movement_whole[operand].flows[level][use.direction];
        if (flow.count == 0) continue;
        const LevelCost& cost = result.levels[operand][level];
        activities.push_back({operand, level, use.direction, cost.transfer_cycles[use.direction],
                              cost.allowed_cycles[use.direction], flow.period, flow.count});
    }
    return activities;
}

void decide_stall(PortCost& port) {
    std::int64_t late = 0;
    std::int64_t slack = 0;
    std::int64_t windows = 0;
    for (const PortActivity& activity : port.activities) {
        const std::int64_t repeats = activity.count - 1;
        const std::int64_t stall = checked_mul(activity.transfer_cycles - activity.allowed_cycles, repeats);
        std::int64_t& sum = stall > 0 ? late : slack;
        sum = checked_add(sum, stall);
        windows = checked_add(windows, checked_mul(activity.allowed_cycles, repeats));
    }
    if (port.activities.size() == 1) {
        port.stall_cycles = late + slack;
        return;
    }
    port.window_cycles = window_union(port.activities);
    const std::int64_t crowded = checked_add(checked_add(slack, windows), -port.window_cycles);
    port.stall_cycles = checked_add(late, std::max<std::int64_t>(0, crowded));
}

/// Windows of periods that divide each other, shortest period first; of equal periods only the longest window counts.
class NestedWindows {
   public:
    explicit NestedWindows(const std::vector<PortActivity>& activities) {
        std::vector<std::pair<std::int64_t, std::int64_t>> windows;
        for (const PortActivity& activity : activities) windows.emplace_back(activity.period, activity.allowed_cycles);
        std::sort(windows.begin(), windows.end());
        for (const auto& [period, allowed] : windows) {
            if (!levels_.empty() && levels_.back().period == period)
                levels_.back().allowed = std::max(levels_.back().allowed, allowed);
            else
                levels_.push_back({period, allowed, 0});
        }
        for (std::size_t k = 0; k < levels_.size(); ++k)
            levels_[k].free = free(k, levels_[k].period) - free(k, std::min(levels_[k].allowed, levels_[k].period));
    }

    std::int64_t covered_in_longest_period() const { return levels_.back().period - levels_.back().free; }

   private:
    struct Level {
        std::int64_t period;
        std::int64_t allowed;
        std::int64_t free;  ///< cycles of one period outside all windows up to this one
    };

    /// Cycles of [0, time) outside the first `count` windows.
    std::int64_t free(std::size_t count, std::int64_t time) const {
        if (count == 0) return time;
        const Level& level = levels_[count - 1];
        const std::int64_t rest = time % level.period;
        const std::int64_t whole = time / level.period * level.free;
        return whole + free(count - 1, rest) - free(count - 1, std::min(rest, level.allowed));
    }

    std::vector<Level> levels_;
};

}  // namespace

std::int64_t window_union(const std::vector<PortActivity>& activities) {
    for (const PortActivity& activity : activities)
        if (activity.allowed_cycles == activity.period) return checked_mul(activity.period, activity.count);
    const auto longest =
        std::max_element(activities.begin(), activities.end(),
                         [](const PortActivity& a, const PortActivity& b) { return a.period < b.period; });
    return checked_mul(NestedWindows(activities).covered_in_longest_period(), longest->count);
}

void add_stalls(const Accelerator& accelerator, const Layer& layer, Result& result) {
    for (std::size_t i = 0; i < layer.operands.size(); ++i)
        add_transfers(accelerator, layer.operands[i], result.movement_whole[i], result.levels[i]);
    result.latency.stall_cycles = 0;
    for (std::size_t m = 0; m < accelerator.memories.size(); ++m) {
        for (std::size_t p = 0; p < accelerator.memories[m].ports.size(); ++p) {
            PortCost port{static_cast<int>(m), static_cast<int>(p),
                          activities_of(layer, accelerator.memories[m], p, result), 0, 0};
            if (port.activities.empty()) continue;
            decide_stall(port);
            result.latency.stall_cycles = std::max(result.latency.stall_cycles, port.stall_cycles);
            result.ports.push_back(port);
        }
    }
}

}  // namespace tilewright::zigzag
