#include "zigzag/accounting/zigzag.hpp"

#include "zigzag/accounting/steps.hpp"

namespace tilewright::zigzag {
namespace {

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
