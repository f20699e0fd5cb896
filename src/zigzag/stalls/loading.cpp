#include "zigzag/stalls/loading.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright::stalls {
namespace {

using enum zigzag::Direction;
using zigzag::Direction;
using zigzag::MemoryOperand;
using zigzag::PerDirection;
using zigzag::SharedMemory;

/// [operand][level]: exposed cycles.
using Remaining = std::vector<std::vector<PerDirection<double>>>;

/// Partial sums returning downwards are not waited for.
bool takes_part(const zigzag::Operand& operand, Direction direction) {
    return !operand.is_result() || direction == write_from_below || direction == read_up;
}

class PortLoading {
   public:
    PortLoading(const zigzag::Layer& layer, const std::vector<OperandTraffic>& traffic, Remaining& remaining)
        : layer_(layer), traffic_(traffic), remaining_(remaining) {}

    void spread(const SharedMemory& memory, std::size_t port, std::int64_t computation) {
        const auto width = static_cast<double>(memory.ports[port].bandwidth_max_bits);
        double busy_bits = 0.0;
        std::vector<double*> once;
        std::vector<double> cycles;
        std::vector<double> least;
        for (const zigzag::PortUse& use : memory.served_by[port]) {
            const int operand = find_operand(layer_, use.operand);
            if (operand < 0) continue;
            const int level = memory.level_of(use.operand);
            const Transfer& transfer = traffic_[operand].transfers[level][use.direction];
            const bool waited_for = takes_part(layer_.operands[operand], use.direction);
            if (transfer.count > 1 || !waited_for)
                busy_bits += static_cast<double>(transfer.bits) * static_cast<double>(transfer.count);
            if (!waited_for) continue;
            double& left = remaining_[operand][level][use.direction];
            left = static_cast<double>(transfer.cycles);
            if (transfer.count != 1) continue;
            once.push_back(&left);
            cycles.push_back(left);
            least.push_back(std::min(left, std::ceil(static_cast<double>(traffic_[operand].bits[0]) / width)));
        }
        hide(cycles, least, static_cast<double>(computation) - busy_bits / width);
        for (std::size_t i = 0; i < once.size(); ++i) *once[i] = cycles[i];
    }

   private:
    const zigzag::Layer& layer_;
    const std::vector<OperandTraffic>& traffic_;
    Remaining& remaining_;
};

bool serves_both(const SharedMemory& memory, MemoryOperand operand, Direction direction) {
    const int port = memory.port[static_cast<std::size_t>(operand)][direction];
    if (port < 0) return false;
    const auto serves = [&](MemoryOperand input) {
        return std::any_of(memory.served_by[port].begin(), memory.served_by[port].end(),
                           [&](const zigzag::PortUse& use) { return use.operand == input; });
    };
    return serves(MemoryOperand::i1) && serves(MemoryOperand::i2);
}

/// One input's path from its top memory to the units, with the latency of the first word.
zigzag::Onloading parts_of(const zigzag::Accelerator& accelerator, MemoryOperand operand,
                           const std::vector<PerDirection<double>>& remaining) {
    zigzag::Onloading parts;
    parts.separate = static_cast<double>(accelerator.memory_at(operand, 0).latency_cycles);
    for (std::size_t l = 0; l + 1 < remaining.size(); ++l) {
        const SharedMemory& upper = accelerator.memory_at(operand, static_cast<int>(l + 1));
        const SharedMemory& lower = accelerator.memory_at(operand, static_cast<int>(l));
        const double cycles = std::max(remaining[l][write_from_above], remaining[l + 1][read_down]) +
                              static_cast<double>(upper.latency_cycles);
        const bool upper_shared = serves_both(upper, operand, read_down);
        const bool lower_shared = serves_both(lower, operand, write_from_above);
        double& part = upper_shared && lower_shared   ? parts.shared
                       : upper_shared || lower_shared ? parts.half_shared
                                                      : parts.separate;
        part += cycles;
    }
    return parts;
}

double offloading(const std::vector<PerDirection<double>>& remaining) {
    double cycles = 0.0;
    for (std::size_t l = 0; l + 1 < remaining.size(); ++l)
        cycles += std::max(remaining[l][read_up], remaining[l + 1][write_from_below]);
    return cycles;
}

}  // namespace

void hide(std::vector<double>& cycles, const std::vector<double>& least, double surplus) {
    while (surplus > 0.0) {
        // The longest shrinkable ones, their number, and the level they shrink to together.
        double longest = 0.0;
        for (std::size_t i = 0; i < cycles.size(); ++i)
            if (cycles[i] > least[i]) longest = std::max(longest, cycles[i]);
        double floor = 0.0;
        double sharing = 0.0;
        for (std::size_t i = 0; i < cycles.size(); ++i) {
            const bool shrinks = cycles[i] > least[i] && cycles[i] == longest;
            if (shrinks) ++sharing;
            floor = std::max(floor, shrinks ? least[i] : cycles[i] < longest ? cycles[i] : 0.0);
        }
        if (sharing == 0.0) return;
        const double target = std::max(floor, longest - surplus / sharing);
        for (std::size_t i = 0; i < cycles.size(); ++i)
            if (cycles[i] > least[i] && cycles[i] == longest) cycles[i] = target;
        surplus -= (longest - target) * sharing;
        if (target > floor) return;
    }
}

Loading loading(const zigzag::Accelerator& accelerator, const zigzag::Layer& layer,
                const std::vector<OperandTraffic>& traffic, std::int64_t computation) {
    Remaining remaining;
    for (const OperandTraffic& one : traffic) remaining.emplace_back(one.transfers.size());
    PortLoading ports(layer, traffic, remaining);
    for (const SharedMemory& memory : accelerator.memories)
        for (std::size_t p = 0; p < memory.ports.size(); ++p) ports.spread(memory, p, computation);
    std::vector<zigzag::Onloading> parts;
    for (std::size_t i = 1; i < layer.operands.size(); ++i)
        parts.push_back(parts_of(accelerator, layer.operands[i].memory, remaining[i]));
    Loading loading;
    loading.onloading_cycles = parts.size() == 1 ? parts[0].shared + parts[0].half_shared + parts[0].separate
                                                 : zigzag::onloading_cycles(parts[0], parts[1]);
    loading.offloading_cycles = offloading(remaining[0]);
    return loading;
}

}  // namespace tilewright::stalls
