#include "zigzag/accounting/zigzag.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/checked.hpp"
#include "zigzag/accounting/rounding.hpp"

namespace tilewright::zigzag {
namespace {

// Steps of zigzag.hpp's evaluate(), one file each, filling in a Result in this order.

/// Accesses of all instances; a partial word costs a share given by the port's granularity.
std::int64_t word_accesses(const Flow& flow, const Port& port, std::int64_t instances) {
    const auto narrow = static_cast<double>(port.bandwidth_min_bits);
    const auto wide = static_cast<double>(port.bandwidth_max_bits);
    const auto bits = static_cast<double>(checked_mul(flow.elements, flow.precision_bits));
    return truncated(std::ceil(bits / narrow) * (narrow / wide) * static_cast<double>(flow.count) *
                     static_cast<double>(instances));
}

void add_level_energy(const SharedMemory& memory, MemoryOperand operand, const PerDirection<Flow>& flows,
                      std::int64_t instances, LevelCost& level) {
    using enum Direction;
    for (const Direction direction : {read_down, write_from_below, read_up, write_from_above}) {
        const Flow& flow = flows[direction];
        if (flow.elements == 0 || flow.precision_bits == 0) continue;
        level.words[direction] = word_accesses(flow, *memory.port_for(operand, direction), instances);
        const bool reads = direction == read_down || direction == read_up;
        level.energy_pj_by_direction[direction] =
            static_cast<double>(level.words[direction]) * (reads ? memory.read_pj : memory.write_pj);
    }
    // ZigZag's order of summation.
    const PerDirection<double>& energy = level.energy_pj_by_direction;
    level.energy_pj = (energy[read_up] + energy[read_down]) + (energy[write_from_above] + energy[write_from_below]);
}

/// Words and energies (cost_model.py: calc_memory_energy_cost). Requires movement and levels of the right sizes.
void add_energy(const Accelerator& accelerator, const Layer& layer, Result& result) {
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
        const OperandMovement& movement = result.movement[i];
        for (std::size_t l = 0; l < result.levels[i].size(); ++l) {
            LevelCost& level = result.levels[i][l];
            add_level_energy(accelerator.memories[level.memory], layer.operands[i].memory, movement.flows[l],
                             movement.units.units[l + 1], level);
            result.memory_energy_pj += level.energy_pj;
        }
    }
    result.mac_energy_pj = accelerator.unit_energy_pj * static_cast<double>(layer.operations);
}

/// Energy of the operations of an array computing in memory, in place of the units'. Requires energy and nest.
void add_array_energy(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling,
                      const UnevenMapping& mapping, Result& result) {
    result.array = operations_energy(accelerator, layer, unrolling);
    const OperandNest& weights = result.nest.operands[find_operand(layer, MemoryOperand::i2)];
    const double precharging = precharging_pj(precharge_pj(accelerator), static_cast<double>(layer.operations),
                                              static_cast<double>(weights.stationary_cycles),
                                              static_cast<double>(reused_in_cells(layer, mapping)));
    result.mac_energy_pj = result.array->pj.total() + precharging;
    result.array->pj[ArrayPart::precharging] = precharging;
}

/// Costs of all operands at one memory, in file order.
std::vector<LevelCost*> sharers(const Accelerator& accelerator, const Layer& layer, int memory, Result& result) {
    std::vector<LevelCost*> levels;
    for (const MemoryOperand name : accelerator.memories[memory].operands)
        if (const int operand = find_operand(layer, name); operand >= 0)
            levels.push_back(&result.levels[operand][accelerator.memories[memory].level_of(name)]);
    return levels;
}

void add_own(const Accelerator& accelerator, const OperandMovement& movement, std::vector<LevelCost>& levels) {
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const auto size = static_cast<double>(accelerator.memories[levels[l].memory].size_bits);
        levels[l].utilization = static_cast<double>(movement.bits[l + 1]) / size;
        levels[l].effective_utilization = static_cast<double>(movement.effective_bits[l + 1]) / size;
    }
}

/// A level is double-buffered if its data needed at a time fit twice; it then owns the second half.
void decide_double_buffer(LevelCost& level, const std::vector<LevelCost*>& sharers) {
    if (level.buffered_utilization <= 0.5) {
        level.double_buffered = true;
    } else if (level.effective_utilization <= 1 - level.buffered_utilization) {
        level.double_buffered = true;
        const bool shared = sharers.size() > 1;
        for (LevelCost* other : sharers)
            if (shared) other->buffered_utilization += level.effective_utilization;
    }
}

/// Utilisation and double buffers (calc_memory_utilization, calc_double_buffer_flag).
void add_utilization(const Accelerator& accelerator, const Layer& layer, Result& result) {
    for (std::size_t i = 0; i < layer.operands.size(); ++i) add_own(accelerator, result.movement[i], result.levels[i]);
    for (std::size_t m = 0; m < accelerator.memories.size(); ++m) {
        const std::vector<LevelCost*> levels = sharers(accelerator, layer, static_cast<int>(m), result);
        double all = 0.0;
        double effective = 0.0;
        for (const LevelCost* level : levels) {
            all += level->utilization;
            effective += level->effective_utilization;
        }
        for (LevelCost* level : levels) {
            level->shared_utilization = all;
            level->effective_shared_utilization = level->buffered_utilization = effective;
        }
    }
    for (std::vector<LevelCost>& levels : result.levels)
        for (LevelCost& level : levels) decide_double_buffer(level, sharers(accelerator, layer, level.memory, result));
}

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

/// Transfer cycles and stalls (calc_latency).
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

/// Loading and unloading (also calc_latency). Requires stalls.
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

/// A transfer without a port, in words, or "".
std::string missing_port(const Accelerator& accelerator, const Layer& layer, const Result& result) {
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
        const MemoryOperand operand = layer.operands[i].memory;
        for (int l = 0; l < accelerator.level_count(operand); ++l) {
            for (int d = 0; d < kDirections; ++d) {
                const auto direction = static_cast<Direction>(d);
                const Flow& flow = result.movement[i].flows[l][direction];
                const SharedMemory& memory = accelerator.memory_at(operand, l);
                if (flow.elements == 0 || flow.precision_bits == 0 || memory.port_for(operand, direction) != nullptr)
                    continue;
                return "memory '" + memory.name + "' has no port for '" + std::string(name_of(operand)) + ", " +
                       std::string(short_name_of(direction)) + "', which this mapping needs";
            }
        }
    }
    return "";
}

}  // namespace

std::string refusal_of(const Accelerator& accelerator, const Layer& layer, const UnevenMapping& mapping) {
    if (std::string text = problem_with(layer); !text.empty()) return text;
    if (std::string text = problem_with(accelerator, layer); !text.empty()) return text;
    if (accelerator.in_memory)
        if (std::string text = problem_with_array(accelerator); !text.empty()) return text;
    return problem_with(accelerator, layer, mapping);
}

SpatialPair spatial_pair(const Accelerator& accelerator, const Layer& layer, const ArrayUnrolling& unrolling) {
    return {spatial_mapping(accelerator, layer, unrolling, UnrollRounding::fractional),
            spatial_mapping(accelerator, layer, unrolling, UnrollRounding::whole), unrolling};
}

Result evaluate(const Accelerator& accelerator, const Layer& layer, const SpatialPair& spatial,
                const UnevenMapping& mapping) {
    Result result;
    result.refusal = refusal_of(accelerator, layer, mapping);
    if (!result.refusal.empty()) return result;
    result.nest = sunk_nest(layer, mapping);
    result.movement = data_movement(layer, result.nest, spatial.fractional);
    result.movement_whole = data_movement(layer, result.nest, spatial.whole);
    result.refusal = missing_port(accelerator, layer, result);
    if (!result.refusal.empty()) return result;
    for (const Operand& operand : layer.operands) {
        std::vector<LevelCost>& levels = result.levels.emplace_back();
        for (const int memory : accelerator.levels_of(operand.memory)) levels.emplace_back().memory = memory;
    }
    add_energy(accelerator, layer, result);
    if (accelerator.in_memory) add_array_energy(accelerator, layer, spatial.unrolling, mapping, result);
    add_utilization(accelerator, layer, result);
    add_stalls(accelerator, layer, result);
    add_loading(accelerator, layer, result);
    return result;
}

}  // namespace tilewright::zigzag
