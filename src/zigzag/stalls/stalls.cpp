#include "zigzag/stalls/stalls.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "zigzag/stalls/tiles.hpp"

namespace tilewright::stalls {
namespace {

using enum zigzag::Direction;
using zigzag::Accelerator;
using zigzag::Direction;
using zigzag::Layer;
using zigzag::SharedMemory;

std::string missing_port(const Accelerator& accelerator, const Layer& layer,
                         const std::vector<OperandTraffic>& traffic) {
    for (std::size_t i = 0; i < traffic.size(); ++i) {
        const zigzag::MemoryOperand operand = layer.operands[i].memory;
        for (std::size_t l = 0; l < traffic[i].transfers.size(); ++l) {
            const SharedMemory& memory = accelerator.memory_at(operand, static_cast<int>(l));
            for (const Direction direction : {read_down, write_from_below, read_up, write_from_above})
                if (traffic[i].transfers[l][direction].count > 0 && memory.port_for(operand, direction) == nullptr)
                    return "memory '" + memory.name + "' has no port for '" + std::string(name_of(operand)) + ", " +
                           std::string(short_name_of(direction)) + "', which this mapping needs";
        }
    }
    return "";
}

/// Levels with room for the next tile beside the present one.
class DoubleBuffers {
   public:
    DoubleBuffers(const Accelerator& accelerator, const Layer& layer, const std::vector<OperandTraffic>& traffic)
        : accelerator_(accelerator), layer_(layer), traffic_(traffic), taken_(accelerator.memories.size(), 0) {
        for (std::size_t i = 0; i < traffic.size(); ++i)
            for (std::size_t l = 0; l < traffic[i].bits.size(); ++l)
                taken_[memory(i, l)] = checked_add(taken_[memory(i, l)], traffic[i].bits_at_a_time[l]);
    }

    std::vector<std::vector<bool>> decide() {
        std::vector<std::vector<bool>> double_buffered;
        for (std::size_t i = 0; i < traffic_.size(); ++i) {
            std::vector<bool>& levels = double_buffered.emplace_back();
            for (std::size_t l = 0; l < traffic_[i].bits.size(); ++l) levels.push_back(doubles(i, l));
        }
        return double_buffered;
    }

    /// A memory unable to double-buffer as required, in words, or "".
    std::string shortage() const {
        for (std::size_t m = 0; m < accelerator_.memories.size(); ++m) {
            const SharedMemory& memory = accelerator_.memories[m];
            if (!memory.force_double_buffering) continue;
            std::int64_t bits = 0;
            for (std::size_t i = 0; i < traffic_.size(); ++i)
                if (const int level = memory.level_of(layer_.operands[i].memory); level >= 0)
                    bits = checked_add(bits, traffic_[i].bits[level]);
            if (const std::int64_t lack = checked_mul(2, bits) - memory.size_bits; lack > 0)
                return "memory '" + memory.name + "' lacks " + std::to_string(lack) +
                       " bits for the double buffers that it is to have";
        }
        return "";
    }

   private:
    std::size_t memory(std::size_t operand, std::size_t level) const {
        return static_cast<std::size_t>(accelerator_.levels_of(layer_.operands[operand].memory)[level]);
    }

    bool doubles(std::size_t operand, std::size_t level) {
        const SharedMemory& place = accelerator_.memories[memory(operand, level)];
        std::int64_t& taken = taken_[memory(operand, level)];
        const std::int64_t needed = traffic_[operand].bits_at_a_time[level];
        if (place.force_double_buffering || taken <= place.size_bits / 2) return true;
        if (needed > place.size_bits - taken) return false;
        taken = checked_add(taken, needed);
        return true;
    }

    const Accelerator& accelerator_;
    const Layer& layer_;
    const std::vector<OperandTraffic>& traffic_;
    std::vector<std::int64_t> taken_;  ///< bits of each memory needed at a time
};

zigzag::Activity activity_of(const Transfer& transfer, bool double_buffered) {
    const std::int64_t allowed = double_buffered ? transfer.period_cycles : transfer.window_cycles;
    return zigzag::checked_activity({transfer.cycles, allowed, transfer.period_cycles, transfer.count});
}

zigzag::PortCost port_cost(const Layer& layer, const SharedMemory& memory, int memory_index, int port,
                           const std::vector<OperandTraffic>& traffic,
                           const std::vector<std::vector<bool>>& double_buffered) {
    zigzag::PortCost cost{memory_index, port, {}, 0, 0};
    std::vector<zigzag::Activity> activities;
    for (const zigzag::PortUse& use : memory.served_by[port]) {
        const int operand = find_operand(layer, use.operand);
        if (operand < 0) continue;
        const int level = memory.level_of(use.operand);
        const Transfer& transfer = traffic[operand].transfers[level][use.direction];
        if (transfer.count == 0) continue;
        // The link's lower end is the refilled one; the units have no second buffer.
        const int refilled = use.direction == read_down || use.direction == write_from_below ? level - 1 : level;
        const bool doubled = refilled >= 0 && double_buffered[operand][refilled];
        activities.push_back(activity_of(transfer, doubled));
        cost.activities.push_back({operand, level, use.direction, activities.back()});
    }
    if (activities.size() > 1) cost.window_cycles = zigzag::cycles_with_a_window(activities);
    cost.stall_cycles = zigzag::port_stall(activities);
    return cost;
}

}  // namespace

Result latency(const Accelerator& accelerator, const Layer& layer, const zigzag::ArrayUnrolling& unrolling,
               const zigzag::UnevenMapping& mapping) {
    Result result;
    result.refusal = zigzag::refusal_of(accelerator, layer, mapping);
    if (!result.refusal.empty()) return result;
    const zigzag::SpatialMapping covering =
        spatial_mapping(accelerator, layer, unrolling, zigzag::UnrollRounding::covering);
    const Extents executed = executed_iterations(layer, covering, mapping);
    const std::vector<OperandTraffic> traffic =
        traffic_of(accelerator, layer, sunk_nest(layer, mapping), covering, executed);
    DoubleBuffers buffers(accelerator, layer, traffic);
    result.refusal = missing_port(accelerator, layer, traffic);
    if (result.refusal.empty()) result.refusal = buffers.shortage();
    if (!result.refusal.empty()) return result;

    result.double_buffered = buffers.decide();
    zigzag::Latency& cycles = result.latency;
    cycles.ideal_cycles = checked_mul(ceil_div(layer.operations, accelerator.units), accelerator.cycles_per_operation);
    cycles.ideal_temporal_cycles = checked_mul(product_of(layer, executed), accelerator.cycles_per_operation);
    for (std::size_t m = 0; m < accelerator.memories.size(); ++m) {
        const SharedMemory& memory = accelerator.memories[m];
        for (std::size_t p = 0; p < memory.ports.size(); ++p) {
            zigzag::PortCost cost =
                port_cost(layer, memory, static_cast<int>(m), static_cast<int>(p), traffic, result.double_buffered);
            if (cost.activities.empty()) continue;
            cycles.stall_cycles = std::max(cycles.stall_cycles, cost.stall_cycles);
            result.ports.push_back(std::move(cost));
        }
    }
    const Loading edges = loading(accelerator, layer, traffic, cycles.computation());
    cycles.onloading_cycles = edges.onloading_cycles;
    cycles.offloading_cycles = edges.offloading_cycles;
    return result;
}

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
