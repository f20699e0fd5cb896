#include "mapping/perfect.hpp"

#include <limits>

namespace tilewright {
namespace {

using Order = std::array<std::uint8_t, kMaxDimensions>;
using Factors = std::array<std::int32_t, kMaxDimensions>;

// Writes the factors and the order of `loops` (outermost first); dimensions without a loop come last, i.e. outermost.
bool read_loops(const std::vector<Loop>& loops, int dimension_count, Factors& factors, Order& order) {
    std::uint32_t seen = 0;
    int place = 0;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        if (loop->extent == 1) continue;
        if (!loop->is_perfect() || loop->extent > std::numeric_limits<std::int32_t>::max()) return false;
        if ((seen >> loop->dimension & 1U) != 0) return false;
        seen |= 1U << loop->dimension;
        factors[loop->dimension] = static_cast<std::int32_t>(loop->extent);
        order[place++] = static_cast<std::uint8_t>(loop->dimension);
    }
    for (int d = 0; d < dimension_count; ++d)
        if ((seen >> d & 1U) == 0) order[place++] = static_cast<std::uint8_t>(d);
    return true;
}

std::vector<Loop> temporal_loops(const PerfectLevel& level, int dimension_count) {
    std::vector<Loop> loops;
    for (int place = dimension_count - 1; place >= 0; --place) {
        const int d = level.order[place];
        if (level.temporal[d] > 1) loops.push_back({d, level.temporal[d], level.temporal[d], LoopKind::temporal});
    }
    return loops;
}

std::vector<Loop> spatial_loops(const PerfectLevel& level, int dimension_count) {
    std::vector<Loop> loops;
    for (int place = dimension_count - 1; place >= 0; --place) {
        const int d = level.spatial_order[place];
        const LoopKind kind = level.runs_on_y(d) ? LoopKind::spatial_y : LoopKind::spatial_x;
        if (level.spatial[d] > 1) loops.push_back({d, level.spatial[d], level.spatial[d], kind});
    }
    return loops;
}

}  // namespace

PerfectPoint::PerfectPoint(int level_count, int dimension_count)
    : level_count_(level_count), dimension_count_(dimension_count) {
    for (int l = 0; l < level_count; ++l) {
        PerfectLevel& level = levels_[l];
        level.temporal.fill(1);
        level.spatial.fill(1);
        for (int d = 0; d < kMaxDimensions; ++d) level.order[d] = level.spatial_order[d] = static_cast<std::uint8_t>(d);
    }
}

bool PerfectPoint::operator==(const PerfectPoint& other) const { return mapping_of(*this) == mapping_of(other); }

Mapping mapping_of(const PerfectPoint& point) {
    std::vector<MappingLevel> levels;
    levels.reserve(static_cast<std::size_t>(point.level_count()));
    for (int l = 0; l < point.level_count(); ++l)
        levels.push_back({point[l].keep, temporal_loops(point[l], point.dimension_count()),
                          spatial_loops(point[l], point.dimension_count())});
    return mapping_of(levels);
}

std::optional<Mapping> mapping_of(const PerfectPoint& point, const Einsum& einsum) {
    Mapping mapping = mapping_of(point);
    if (!restore_remainders(mapping, einsum)) return std::nullopt;
    return mapping;
}

std::optional<PerfectPoint> perfect_point_of(const Mapping& mapping, const Einsum& einsum,
                                             const Architecture& architecture) {
    if (!mapping.options.empty() || !is_even(mapping, architecture.memory_count())) return std::nullopt;
    PerfectPoint point(architecture.memory_count(), einsum.dimension_count());
    const std::vector<MappingLevel> levels = levels_of(mapping, architecture.memory_count());
    for (int l = 0; l < point.level_count(); ++l) {
        PerfectLevel& level = point[l];
        level.keep = levels[l].keep;
        if (!read_loops(levels[l].temporal, point.dimension_count(), level.temporal, level.order) ||
            !read_loops(levels[l].spatial, point.dimension_count(), level.spatial, level.spatial_order))
            return std::nullopt;
        for (const Loop& loop : levels[l].spatial)
            if (loop.kind == LoopKind::spatial_y) level.on_y |= 1U << loop.dimension;
    }
    return point;
}

}  // namespace tilewright
