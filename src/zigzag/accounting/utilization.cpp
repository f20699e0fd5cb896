#include "zigzag/accounting/steps.hpp"

namespace tilewright::zigzag {
namespace {

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

}  // namespace

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

}  // namespace tilewright::zigzag
