#include "zigzag/accounting/nest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numbers/checked.hpp"
#include "base/numbers/factors.hpp"

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

namespace {

std::int64_t rounds(std::int64_t size, double units) {
    const double quotient = std::ceil(static_cast<double>(size) / units);
    if (!(quotient < static_cast<double>(std::numeric_limits<std::int64_t>::max()))) throw OverflowError();
    return static_cast<std::int64_t>(quotient);
}

}  // namespace

std::vector<TemporalLoop> temporal_loops(const Layer& layer, const SpatialMapping& spatial) {
    std::vector<std::int64_t> sizes;
    for (const Dimension& dimension : layer.dimensions) sizes.push_back(dimension.extent);
    constexpr std::int64_t kGone = 0;  // exhausted; further unrollings of it do not count
    for (const std::vector<ParallelLoop>& level : spatial.loops[1])
        for (const ParallelLoop& loop : level) {
            std::int64_t& size = sizes[loop.dimension];
            if (size == kGone) continue;
            size = rounds(size, loop.size);
            if (size == 1) size = kGone;
        }
    std::vector<TemporalLoop> loops;
    for (int d = 0; d < layer.dimension_count(); ++d)
        if (sizes[d] > 1) loops.push_back({d, sizes[d]});
    return loops;
}

std::vector<TemporalLoop> loop_factors(const Layer& layer, const SpatialMapping& spatial) {
    std::vector<TemporalLoop> factors;
    for (const TemporalLoop& loop : temporal_loops(layer, spatial))
        for (const PrimePower& power : prime_factors(loop.size))
            factors.insert(factors.end(), static_cast<std::size_t>(power.power), {loop.dimension, power.prime});
    if (factors.empty()) factors.push_back({0, 1});
    return factors;
}

std::vector<TemporalLoop> limited(const std::vector<TemporalLoop>& factors, int limit) {
    std::vector<int> dimensions;
    std::vector<std::vector<std::int64_t>> groups;
    for (const TemporalLoop& factor : factors) {
        if (dimensions.empty() || dimensions.back() != factor.dimension) {
            dimensions.push_back(factor.dimension);
            groups.emplace_back();
        }
        groups.back().push_back(factor.size);
    }
    limit_factors(groups, limit);
    std::vector<TemporalLoop> result;
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const std::int64_t size : groups[g]) result.push_back({dimensions[g], size});
    return result;
}

}  // namespace tilewright::zigzag
