#include "model/nest.hpp"

#include "base/checked.hpp"
#include "model/places.hpp"

namespace tilewright {
namespace {

// Appends the loops of one level and returns where they lie.
NestLevel append(std::vector<NestLoop>& loops, const MappingLevel& level) {
    NestLevel placed;
    placed.first = static_cast<int>(loops.size());
    const auto add = [&](const Loop& loop) {
        if (loop.extent == 1) return;
        loops.push_back({loop.dimension, loop.extent, loop.remainder, 1, loop.kind});
        if (loop.kind == LoopKind::spatial_x) placed.mapped.x = checked_mul(placed.mapped.x, loop.extent);
        if (loop.kind == LoopKind::spatial_y) placed.mapped.y = checked_mul(placed.mapped.y, loop.extent);
    };
    for (const Loop& loop : level.temporal) add(loop);
    placed.spatial = static_cast<int>(loops.size());
    for (const Loop& loop : level.spatial) add(loop);
    placed.end = static_cast<int>(loops.size());
    return placed;
}

// Steps of the loops and tiles of the levels, from the inside out.
void measure(Nest& nest) {
    const std::size_t dimensions = nest.einsum->dimensions.size();
    std::vector<std::int64_t> full(dimensions, 1);
    std::vector<std::int64_t> last(dimensions, 1);
    for (int i = nest.level_count() - 1; i >= 0; --i) {
        NestLevel& level = nest.levels[i];
        for (int k = level.end - 1; k >= level.first; --k) {
            NestLoop& loop = nest.loops[k];
            std::int64_t& size = full[loop.dimension];
            std::int64_t& rest = last[loop.dimension];
            loop.step = size;
            rest = checked_add(rest, checked_mul(size, loop.remainder - 1));
            size = checked_mul(size, loop.extent);
            nest.perfect = nest.perfect && loop.extent == loop.remainder;
        }
        level.full = full;
        level.last = last;
    }
}

// `addressed`: compute units that the spatial loops address.
void count_instances(Nest& nest, std::int64_t addressed) {
    nest.units = addressed;
    for (NestLevel& level : nest.levels) level.instances = level.addressed;
    if (nest.perfect) return;
    const std::vector<std::int64_t> in_use = instances_in_use(nest);
    nest.units = in_use.back();
    for (std::size_t i = 0; i < nest.levels.size(); ++i) nest.levels[i].instances = in_use[i];
}

}  // namespace

std::int64_t Nest::shift(int loop, const Rank& rank) const {
    for (const Term& term : rank.terms)
        if (term.dimension == loops[loop].dimension) return checked_mul(term.coefficient, loops[loop].step);
    return 0;
}

Nest flatten(const Einsum& einsum, const Architecture& architecture, const Mapping& mapping) {
    Nest nest;
    nest.einsum = &einsum;
    std::int64_t instances = 1;
    const std::vector<MappingLevel> levels = levels_of(mapping, architecture.memory_count());
    for (int i = 0; i < static_cast<int>(levels.size()); ++i) {
        NestLevel level = append(nest.loops, levels[i]);
        level.addressed = instances;
        level.hardware = architecture.fanout(i);
        instances = checked_mul(instances, level.mapped.size());
        nest.levels.push_back(std::move(level));
    }
    measure(nest);
    count_instances(nest, instances);
    return nest;
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
