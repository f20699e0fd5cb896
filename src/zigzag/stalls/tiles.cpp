#include "zigzag/stalls/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numbers/checked.hpp"

namespace tilewright::stalls {
namespace {

using zigzag::Layer;
using zigzag::LevelLoops;
using zigzag::Operand;
using zigzag::OperandNest;
using zigzag::TemporalLoop;
using Spatial = std::vector<std::vector<zigzag::ParallelLoop>>;

Extents ones() {
    Extents extents;
    extents.fill(1);
    return extents;
}

void multiply(Extents& extents, const LevelLoops& loops) {
    for (const TemporalLoop& loop : loops) extents[loop.dimension] = checked_mul(extents[loop.dimension], loop.size);
}

bool moves(const Operand& operand, const TemporalLoop& loop) { return !operand.irrelevant.has(loop.dimension); }

/// A level's loops without the outermost ones satisfying `outer`.
template <class Outer>
LevelLoops without_outermost(const LevelLoops& loops, Outer outer) {
    LevelLoops rest = loops;
    while (!rest.empty() && outer(rest.back())) rest.pop_back();
    return rest;
}

Extents inside_of(const OperandNest& nest, std::size_t levels) {
    Extents inside = ones();
    for (std::size_t l = 0; l < levels; ++l) multiply(inside, nest.levels[l]);
    return inside;
}

Extents at_most(Extents extents, const Extents& most) {
    for (std::size_t d = 0; d < extents.size(); ++d) extents[d] = std::min(extents[d], most[d]);
    return extents;
}

/// The loops before the operand's first relevant one.
Extents stationary(const Operand& operand, const OperandNest& nest) {
    Extents inside = ones();
    for (const LevelLoops& loops : nest.levels)
        for (const TemporalLoop& loop : loops) {
            if (moves(operand, loop)) return inside;
            inside[loop.dimension] *= loop.size;
        }
    return inside;
}

}  // namespace

Extents executed_iterations(const Layer& layer, const zigzag::SpatialMapping& covering,
                            const zigzag::UnevenMapping& mapping) {
    Extents units = ones();
    for (const auto& level : covering.loops.front())
        for (const zigzag::ParallelLoop& loop : level)
            units[loop.dimension] = checked_mul(units[loop.dimension], static_cast<std::int64_t>(loop.size));
    Extents written = ones();
    for (const LevelLoops& loops : mapping.operands.front()) multiply(written, loops);
    Extents executed = ones();
    for (int d = 0; d < layer.dimension_count(); ++d)
        executed[d] = std::min(written[d], ceil_div(layer.dimensions[d].extent, units[d]));
    return executed;
}

std::int64_t product_of(const Layer& layer, const Extents& extents) {
    std::int64_t product = 1;
    for (int d = 0; d < layer.dimension_count(); ++d) product = checked_mul(product, extents[d]);
    return product;
}

std::vector<Cut> cuts_of(const Layer& layer, const Operand& operand, const OperandNest& nest, const Extents& executed) {
    std::vector<Cut> cuts;
    for (std::size_t a = 0; a <= nest.levels.size(); ++a) {
        Extents written = a > 0 ? inside_of(nest, a) : operand.is_result() ? ones() : stationary(operand, nest);
        Cut& cut = cuts.emplace_back();
        cut.inside = at_most(written, executed);
        cut.period_cycles = product_of(layer, written);
        Extents single = written;
        if (a > 0) {
            single = inside_of(nest, a - 1);
            multiply(single, without_outermost(nest.levels[a - 1],
                                               [&](const TemporalLoop& loop) { return !moves(operand, loop); }));
        }
        cut.window_cycles = product_of(layer, at_most(single, executed));
        for (int d = 0; d < layer.dimension_count(); ++d) {
            const std::int64_t tiles = ceil_div(executed[d], cut.inside[d]);
            cut.count = checked_mul(cut.count, tiles);
            if (!operand.irrelevant.has(d)) cut.distinct = checked_mul(cut.distinct, tiles);
        }
    }
    return cuts;
}

std::int64_t positions(const zigzag::DimensionRelation& window, const Extents& tile) {
    const std::int64_t a = tile[window.first];
    const std::int64_t b = tile[window.second];
    const std::int64_t common = std::gcd(window.first_step, window.second_step);
    const std::int64_t met_a = std::max<std::int64_t>(0, a - window.second_step / common);
    const std::int64_t met_b = std::max<std::int64_t>(0, b - window.first_step / common);
    return std::min(window.size, checked_mul(a, b) - checked_mul(met_a, met_b));
}

std::int64_t elements_of(const Layer& layer, const Operand& operand, const Extents& inside, const Spatial& spatial,
                         std::size_t levels) {
    Extents tile = inside;
    for (std::size_t l = 0; l < levels; ++l)
        for (const zigzag::ParallelLoop& loop : spatial[l])
            tile[loop.dimension] = checked_mul(tile[loop.dimension], static_cast<std::int64_t>(loop.size));
    for (int d = 0; d < layer.dimension_count(); ++d) tile[d] = std::min(tile[d], layer.dimensions[d].extent);
    std::int64_t elements = 1;
    for (const int d : operand.relevant_axes) elements = checked_mul(elements, tile[d]);
    if (operand.windowed)
        for (const zigzag::DimensionRelation& window : layer.windows)
            elements = checked_mul(elements, positions(window, tile));
    return elements;
}

std::int64_t elements_at_a_time(const Layer& layer, const Operand& operand, const OperandNest& nest,
                                const Extents& executed, const Spatial& spatial, std::size_t level) {
    Extents inside = inside_of(nest, level);
    multiply(inside,
             without_outermost(nest.levels[level], [&](const TemporalLoop& loop) { return moves(operand, loop); }));
    return elements_of(layer, operand, at_most(inside, executed), spatial, level + 1);
}

}  // namespace tilewright::stalls
