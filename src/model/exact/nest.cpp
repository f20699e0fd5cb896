#include "model/exact/nest.hpp"

#include <stdexcept>

#include "base/numbers/checked.hpp"
#include "mapping/uneven.hpp"
#include "model/exact/places.hpp"

namespace tilewright {
namespace {

struct LoopBlock {
    std::vector<NestLoop> temporal;
    std::vector<NestLoop> spatial;
};

NestLoop nest_loop(const Loop& loop) { return {loop.dimension, loop.extent, loop.remainder, 1, loop.kind}; }

std::vector<LoopBlock> blocks_of(const std::vector<MappingLevel>& levels) {
    std::vector<LoopBlock> blocks;
    for (const MappingLevel& level : levels) {
        LoopBlock& block = blocks.emplace_back();
        for (const Loop& loop : level.temporal) block.temporal.push_back(nest_loop(loop));
        for (const Loop& loop : level.spatial) block.spatial.push_back(nest_loop(loop));
    }
    return blocks;
}

// By node: iterations skipped by one step of a loop.
std::vector<std::int64_t> steps_of(const Einsum& einsum, const Mapping& mapping) {
    std::vector<std::int64_t> inside(einsum.dimensions.size(), 1);
    std::vector<std::int64_t> steps(mapping.nodes.size(), 1);
    for (std::size_t i = mapping.nodes.size(); i-- > 0;)
        if (const Loop* loop = std::get_if<Loop>(&mapping.nodes[i])) {
            steps[i] = inside[loop->dimension];
            inside[loop->dimension] = checked_mul(steps[i], loop->extent);
        }
    return steps;
}

std::vector<LoopBlock> blocks_of(const Einsum& einsum, const Mapping& mapping, int memory_count, int tensor) {
    const std::vector<int> positions = store_positions(mapping, memory_count, tensor);
    const std::vector<std::int64_t> steps = steps_of(einsum, mapping);
    std::vector<LoopBlock> blocks(positions.size());
    std::size_t level = 0;
    for (std::size_t i = 0; i < mapping.nodes.size(); ++i) {
        while (level + 1 < positions.size() && static_cast<std::size_t>(positions[level + 1]) <= i) ++level;
        const Loop* loop = std::get_if<Loop>(&mapping.nodes[i]);
        if (loop == nullptr) continue;
        if (!loop->is_perfect()) throw std::invalid_argument("an uneven mapping needs factors that divide");
        NestLoop placed = nest_loop(*loop);
        placed.step = steps[i];
        (loop->is_spatial() ? blocks[level].spatial : blocks[level].temporal).push_back(placed);
    }
    return blocks;
}

// Appends the loops of one level and returns their range.
NestLevel append(std::vector<NestLoop>& loops, const LoopBlock& level) {
    NestLevel placed;
    placed.first = static_cast<int>(loops.size());
    const auto add = [&](const NestLoop& loop) {
        if (loop.extent == 1) return;
        loops.push_back(loop);
        if (loop.kind == LoopKind::spatial_x) placed.mapped.x = checked_mul(placed.mapped.x, loop.extent);
        if (loop.kind == LoopKind::spatial_y) placed.mapped.y = checked_mul(placed.mapped.y, loop.extent);
    };
    for (const NestLoop& loop : level.temporal) add(loop);
    placed.spatial = static_cast<int>(loops.size());
    for (const NestLoop& loop : level.spatial) add(loop);
    placed.end = static_cast<int>(loops.size());
    return placed;
}

// Steps of the loops, unless known, and tiles of the levels, from the inside out.
void measure(Nest& nest, bool steps_known) {
    const std::size_t dimensions = nest.einsum->dimensions.size();
    std::vector<std::int64_t> full(dimensions, 1);
    std::vector<std::int64_t> last(dimensions, 1);
    for (int i = nest.level_count() - 1; i >= 0; --i) {
        NestLevel& level = nest.levels[i];
        for (int k = level.end - 1; k >= level.first; --k) {
            NestLoop& loop = nest.loops[k];
            std::int64_t& size = full[loop.dimension];
            std::int64_t& rest = last[loop.dimension];
            if (!steps_known) loop.step = size;
            rest = checked_add(rest, checked_mul(size, loop.remainder - 1));
            size = checked_mul(size, loop.extent);
            nest.perfect = nest.perfect && loop.extent == loop.remainder;
        }
        level.full = full;
        level.last = last;
    }
}

// `addressed`: compute units addressed by the spatial loops.
void count_instances(Nest& nest, std::int64_t addressed) {
    nest.units = addressed;
    for (NestLevel& level : nest.levels) level.instances = level.addressed;
    if (nest.perfect) return;
    const std::vector<std::int64_t> in_use = instances_in_use(nest);
    nest.units = in_use.back();
    for (std::size_t i = 0; i < nest.levels.size(); ++i) nest.levels[i].instances = in_use[i];
}

Nest nest_of(const Einsum& einsum, const Architecture& architecture, const std::vector<LoopBlock>& blocks,
             bool steps_known, const StopSource* stop) {
    Nest nest;
    nest.einsum = &einsum;
    nest.stop = stop;
    std::int64_t instances = 1;
    for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
        NestLevel level = append(nest.loops, blocks[i]);
        level.addressed = instances;
        level.hardware = architecture.fanout(i);
        instances = checked_mul(instances, level.mapped.size());
        nest.levels.push_back(std::move(level));
    }
    measure(nest, steps_known);
    count_instances(nest, instances);
    return nest;
}

}  // namespace

std::int64_t Nest::shift(int loop, const Rank& rank) const {
    for (const Term& term : rank.terms)
        if (term.dimension == loops[loop].dimension) return checked_mul(term.coefficient, loops[loop].step);
    return 0;
}

Nest flatten(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping, const StopSource* stop) {
    return nest_of(einsum, architecture, blocks_of(levels_of(mapping, architecture.memory_count())), false, stop);
}

std::vector<Nest> flatten_by_tensor(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping,
                                    const StopSource* stop) {
    const int memories = architecture.memory_count();
    if (is_even(mapping, memories))
        return std::vector<Nest>(einsum.tensors.size(), flatten(einsum, architecture, mapping, stop));
    std::vector<Nest> nests;
    for (int t = 0; t < einsum.tensor_count(); ++t)
        nests.push_back(nest_of(einsum, architecture, blocks_of(einsum, mapping, memories, t), true, stop));
    return nests;
}

std::int64_t time_steps(const Nest& nest) {
    std::int64_t steps = 1;
    for (int d = 0; d < nest.einsum->dimension_count(); ++d) {
        std::int64_t full = 1;
        std::int64_t last = 1;
        for (auto loop = nest.loops.rbegin(); loop != nest.loops.rend(); ++loop) {
            if (loop->dimension != d) continue;
            if (loop->is_spatial()) {
                if (loop->remainder > 1) last = full;
                continue;
            }
            last = checked_add(checked_mul(loop->remainder - 1, full), last);
            full = checked_mul(loop->extent, full);
        }
        steps = checked_mul(steps, last);
    }
    return steps;
}

std::int64_t tile_count(const Nest& nest, int level, int dimension) {
    return ceil_div(nest.einsum->dimensions[dimension].extent, nest.levels[level].full[dimension]);
}

}  // namespace tilewright
