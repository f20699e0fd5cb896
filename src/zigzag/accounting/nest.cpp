#include "zigzag/accounting/nest.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright::zigzag {
namespace {

/// Every irrelevant loop joins the level of the nearest inner relevant one, or level 0.
void sink(const Operand& operand, const std::vector<LevelLoops>& levels, OperandNest& nest) {
    nest.levels.assign(levels.size(), {});
    std::size_t current = 0;
    bool moved = false;
    for (std::size_t level = 0; level < levels.size(); ++level) {
        for (const TemporalLoop& loop : levels[level]) {
            if (!operand.irrelevant.has(loop.dimension)) {
                current = level;
                moved = true;
            } else if (!moved) {
                nest.stationary_cycles = checked_mul(nest.stationary_cycles, loop.size);
            }
            nest.levels[current].push_back(loop);
        }
    }
}

/// Product of a level's outermost loops over `dimensions`.
std::int64_t outermost_product(const LevelLoops& loops, const DimensionSet& dimensions) {
    std::int64_t product = 1;
    for (auto loop = loops.rbegin(); loop != loops.rend() && dimensions.has(loop->dimension); ++loop)
        product *= loop->size;
    return product;
}

OperandNest operand_nest(const Operand& operand, const std::vector<LevelLoops>& levels) {
    OperandNest nest;
    sink(operand, levels, nest);
    nest.cycles = {operand.is_result() ? 1 : nest.stationary_cycles};
    nest.top_relevant = {1};
    nest.top_irrelevant = {1};
    std::int64_t product = 1;
    for (const LevelLoops& loops : nest.levels) {
        for (const TemporalLoop& loop : loops) product = checked_mul(product, loop.size);
        nest.cycles.push_back(product);
        nest.top_relevant.push_back(outermost_product(loops, operand.relevant));
        nest.top_irrelevant.push_back(outermost_product(loops, operand.irrelevant));
    }
    return nest;
}

LevelLoops flattened(const std::vector<LevelLoops>& levels) {
    LevelLoops all;
    for (const LevelLoops& loops : levels) all.insert(all.end(), loops.begin(), loops.end());
    return all;
}

std::string problem_with(const Layer& layer, const LevelLoops& loops) {
    for (const TemporalLoop& loop : loops) {
        if (loop.dimension < 0 || loop.dimension >= layer.dimension_count())
            return "a loop has a dimension that the layer does not have";
        if (loop.size < 1) return "a loop over " + layer.dimensions[loop.dimension].name + " has no iteration";
    }
    return "";
}

}  // namespace

std::string problem_with(const Accelerator& accelerator, const Layer& layer, const UnevenMapping& mapping) {
    if (mapping.operands.size() != layer.operands.size()) return "it does not map every operand";
    const LevelLoops order = flattened(mapping.operands.front());
    if (std::string problem = problem_with(layer, order); !problem.empty()) return problem;
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
        const Operand& operand = layer.operands[i];
        const int levels = accelerator.level_count(operand.memory);
        if (static_cast<int>(mapping.operands[i].size()) != levels)
            return "operand " + operand.name + " has " + std::to_string(levels) + " memory levels, not " +
                   std::to_string(mapping.operands[i].size());
        if (flattened(mapping.operands[i]) != order)
            return "operands " + layer.result().name + " and " + operand.name +
                   " do not run the same loops in the same order";
    }
    return "";
}

Nest sunk_nest(const Layer& layer, const UnevenMapping& mapping) {
    Nest nest;
    for (std::size_t i = 0; i < layer.operands.size(); ++i)
        nest.operands.push_back(operand_nest(layer.operands[i], mapping.operands[i]));
    nest.total_cycles = nest.operands.front().cycles.back();
    return nest;
}

}  // namespace tilewright::zigzag
