#include <algorithm>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "zigzag/accounting/rounding.hpp"
#include "zigzag/accounting/steps.hpp"

namespace tilewright::zigzag {
namespace {

using enum Direction;

bool serves_both_inputs(const SharedMemory& memory, std::size_t port) {
    const auto serves = [&](MemoryOperand operand) {
        return std::any_of(memory.served_by[port].begin(), memory.served_by[port].end(),
                           [&](const PortUse& use) { return use.operand == operand; });
    };
    return serves(MemoryOperand::i1) && serves(MemoryOperand::i2);
}

/// Partial sums returning downwards take no part in loading.
bool goes_down_again(const Operand& operand, Direction direction) {
    return operand.is_result() && (direction == read_down || direction == write_from_above);
}

/// A one-time transfer is spread over the cycles left free by the port's repeated transfers.
class PortLoading {
   public:
    PortLoading(const Layer& layer, const SharedMemory& memory, std::size_t port, std::int64_t cycles_per_operation,
                Result& result)
        : layer_(layer), memory_(memory), port_(port), cycles_per_operation_(cycles_per_operation), result_(result) {}

    void spread() {
        if (memory_.ports[port_].takes_no_time) return;
        for (const PortUse& use : memory_.served_by[port_]) note(use);
        std::vector<double> cycles;
        std::vector<double> minimum;
        for (const auto& [operand, level, direction] : once_) {
            cycles.push_back(static_cast<double>(result_.levels[operand][level].transfer_cycles[direction]));
            minimum.push_back(std::ceil(static_cast<double>(result_.movement_whole[operand].bits[1]) / width()));
        }
        hide_in_surplus(cycles, minimum, surplus());
        for (std::size_t i = 0; i < once_.size(); ++i) {
            const auto& [operand, level, direction] = once_[i];
            result_.levels[operand][level].loading_cycles[direction] = cycles[i];
        }
    }

   private:
    struct LevelFlow {
        int operand;
        int level;
        Direction direction;
    };

    double width() const { return static_cast<double>(memory_.ports[port_].bandwidth_max_bits); }

    void note(const PortUse& use) {
        const int operand = find_operand(layer_, use.operand);
        if (operand < 0 || goes_down_again(layer_.operands[operand], use.direction)) return;
        const int level = memory_.level_of(use.operand);
        const Flow& flow = result_.movement_whole[operand].flows[level][use.direction];
        LevelCost& cost = result_.levels[operand][level];
        if (flow.count == 1) {
            once_.push_back({operand, level, use.direction});
        } else if (flow.count > 1) {
            needed_ = checked_add(needed_, ceil_div(flow.bits_per_cycle, cycles_per_operation_));
            cost.loading_cycles[use.direction] = static_cast<double>(cost.transfer_cycles[use.direction]);
        }
    }

    double surplus() const {
        const double free_share = (width() - static_cast<double>(needed_)) / width();
        return std::max(0.0, free_share * static_cast<double>(result_.latency.computation()));
    }

    const Layer& layer_;
    const SharedMemory& memory_;
    std::size_t port_;
    std::int64_t cycles_per_operation_;
    Result& result_;
    std::vector<LevelFlow> once_;
    std::int64_t needed_ = 0;  ///< bits per cycle
};

bool port_serves_both(const SharedMemory& memory, MemoryOperand operand, Direction direction) {
    const int port = memory.port[static_cast<std::size_t>(operand)][direction];
    return port >= 0 && serves_both_inputs(memory, static_cast<std::size_t>(port));
}

Onloading onloading_of(const Accelerator& accelerator, MemoryOperand operand, const std::vector<LevelCost>& levels) {
    Onloading parts;
    for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
        const double cycles =
            std::max(levels[l].loading_cycles[write_from_above], levels[l + 1].loading_cycles[read_down]);
        parts.add_boundary(cycles, port_serves_both(accelerator.memories[levels[l + 1].memory], operand, read_down),
                           port_serves_both(accelerator.memories[levels[l].memory], operand, write_from_above));
    }
    return parts;
}

double offloading(const std::vector<LevelCost>& levels) {
    double cycles = 0.0;
    for (std::size_t l = 0; l + 1 < levels.size(); ++l)
        cycles += std::max(levels[l].loading_cycles[read_up], levels[l + 1].loading_cycles[write_from_below]);
    return cycles;
}

}  // namespace

void add_loading(const Accelerator& accelerator, const Layer& layer, Result& result) {
    Latency& latency = result.latency;
    const std::int64_t cycles = accelerator.cycles_per_operation;
    latency.ideal_cycles =
        checked_mul(rounded_up(static_cast<double>(layer.operations) / static_cast<double>(accelerator.units)), cycles);
    latency.ideal_temporal_cycles = checked_mul(result.nest.total_cycles, cycles);
    for (const SharedMemory& memory : accelerator.memories)
        for (std::size_t p = 0; p < memory.ports.size(); ++p) PortLoading(layer, memory, p, cycles, result).spread();
    for (std::size_t i = 1; i < layer.operands.size(); ++i)
        result.onloading.push_back(onloading_of(accelerator, layer.operands[i].memory, result.levels[i]));
    latency.onloading_cycles = result.onloading.size() == 1
                                   ? result.onloading[0].separate
                                   : onloading_cycles(result.onloading[0], result.onloading[1]);
    latency.offloading_cycles = offloading(result.levels[0]);
}

}  // namespace tilewright::zigzag
