#include <cmath>

#include "base/numbers/checked.hpp"
#include "zigzag/accounting/rounding.hpp"
#include "zigzag/accounting/steps.hpp"

namespace tilewright::zigzag {
namespace {

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

}  // namespace

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

}  // namespace tilewright::zigzag
