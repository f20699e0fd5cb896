#include "mapping/tiling_point.hpp"

#include <limits>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

bool is_readable(const Loop& loop) {
    return loop.is_perfect() && loop.extent <= std::numeric_limits<std::int32_t>::max();
}

// Dimensions without a loop come last, i.e. outermost.
bool read_temporal(const std::vector<Loop>& loops, int dimension_count, TilingLevel& level) {
    std::uint32_t seen = 0;
    std::size_t place = 0;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        if (loop->extent == 1) continue;
        if (!is_readable(*loop) || (seen >> loop->dimension & 1U) != 0) return false;
        seen |= 1U << loop->dimension;
        level.temporal[loop->dimension] = static_cast<std::int32_t>(loop->extent);
        level.order[place++] = static_cast<std::uint8_t>(loop->dimension);
    }
    for (int d = 0; d < dimension_count; ++d)
        if ((seen >> d & 1U) == 0) level.order[place++] = static_cast<std::uint8_t>(d);
    return true;
}

bool read_spatial(const std::vector<Loop>& loops, int dimension_count, TilingLevel& level) {
    std::array<std::uint32_t, 2> seen{};  // by axis
    std::size_t place = 0;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        if (loop->extent == 1) continue;
        const bool along_y = loop->kind == LoopKind::spatial_y;
        std::uint32_t& on_axis = seen[along_y ? 1 : 0];
        if (!is_readable(*loop) || (on_axis >> loop->dimension & 1U) != 0) return false;
        on_axis |= 1U << loop->dimension;
        (along_y ? level.along_y : level.along_x)[loop->dimension] = static_cast<std::int32_t>(loop->extent);
        level.spatial_order[place++] = {static_cast<std::uint8_t>(loop->dimension), along_y};
    }
    for (const bool along_y : {false, true})
        for (int d = 0; d < dimension_count; ++d)
            if ((seen[along_y ? 1 : 0] >> d & 1U) == 0)
                level.spatial_order[place++] = {static_cast<std::uint8_t>(d), along_y};
    return true;
}

// Neighbours of a dimension: at most its chunks, even if its loops cover more.
bool share_out(TilingPoint& point, const Einsum& einsum) {
    for (int d = 0; d < point.dimension_count(); ++d) {
        std::int64_t chunks = einsum.dimensions[d].extent;
        for (int l = point.level_count() - 1; l >= 0; --l) {
            TilingLevel& level = point[l];
            const std::int64_t product = std::int64_t{level.along_x[d]} * level.along_y[d];
            if (product > std::numeric_limits<std::int32_t>::max()) return false;
            const bool partly = level.lies_on_both_axes(d) && product > chunks;
            level.spatial[d] = static_cast<std::int32_t>(partly ? chunks : product);
            chunks = ceil_div(ceil_div(chunks, level.spatial[d]), level.temporal[d]);
        }
    }
    return true;
}

std::vector<Loop> temporal_loops(const TilingLevel& level, int dimension_count) {
    std::vector<Loop> loops;
    for (int place = dimension_count - 1; place >= 0; --place) {
        const int d = level.order[place];
        if (level.temporal[d] > 1) loops.push_back({d, level.temporal[d], level.temporal[d], LoopKind::temporal});
    }
    return loops;
}

std::vector<Loop> spatial_loops(const TilingLevel& level, int dimension_count) {
    std::vector<Loop> loops;
    visit_spatial_loops(level, dimension_count, [&](const SpatialLoop& loop, std::int32_t extent) {
        loops.push_back({loop.dimension, extent, extent, loop.along_y ? LoopKind::spatial_y : LoopKind::spatial_x});
    });
    std::reverse(loops.begin(), loops.end());
    return loops;
}

}  // namespace

TilingPoint::TilingPoint(int level_count, int dimension_count)
    : level_count_(level_count), dimension_count_(dimension_count) {
    for (int l = 0; l < level_count; ++l) {
        TilingLevel& level = levels_[l];
        level.temporal.fill(1);
        level.spatial.fill(1);
        level.along_x.fill(1);
        level.along_y.fill(1);
        for (int d = 0; d < kMaxDimensions; ++d) level.order[d] = static_cast<std::uint8_t>(d);
        for (int d = 0; d < dimension_count; ++d)
            for (const bool along_y : {false, true})
                level.spatial_order[d + (along_y ? dimension_count : 0)] = {static_cast<std::uint8_t>(d), along_y};
    }
}

bool TilingPoint::operator==(const TilingPoint& other) const { return mapping_of(*this) == mapping_of(other); }

Mapping mapping_of(const TilingPoint& point) {
    std::vector<MappingLevel> levels;
    levels.reserve(static_cast<std::size_t>(point.level_count()));
    for (int l = 0; l < point.level_count(); ++l)
        levels.push_back({point[l].keep, temporal_loops(point[l], point.dimension_count()),
                          spatial_loops(point[l], point.dimension_count())});
    return mapping_of(levels);
}

std::optional<Mapping> mapping_of(const TilingPoint& point, const Einsum& einsum) {
    Mapping mapping = mapping_of(point);
    if (!restore_remainders(mapping, einsum)) return std::nullopt;
    return mapping;
}

std::optional<TilingPoint> perfect_point_of(const Mapping& mapping, const Einsum& einsum,
                                            const Architecture& architecture) {
    if (!mapping.options.empty() || !is_even(mapping, architecture.memory_count())) return std::nullopt;
    TilingPoint point(architecture.memory_count(), einsum.dimension_count());
    const std::vector<MappingLevel> levels = levels_of(mapping, architecture.memory_count());
    for (int l = 0; l < point.level_count(); ++l) {
        TilingLevel& level = point[l];
        level.keep = levels[l].keep;
        if (!read_temporal(levels[l].temporal, point.dimension_count(), level) ||
            !read_spatial(levels[l].spatial, point.dimension_count(), level))
            return std::nullopt;
    }
    if (!share_out(point, einsum)) return std::nullopt;
    return point;
}

std::optional<TilingPoint> point_of(const Mapping& mapping, const Einsum& einsum, const Architecture& architecture) {
    Mapping whole = mapping;
    for (Node& node : whole.nodes)
        if (Loop* loop = std::get_if<Loop>(&node)) loop->remainder = loop->extent;
    const std::optional<TilingPoint> point = perfect_point_of(whole, einsum, architecture);
    return point && restore_remainders(whole, einsum) && whole == mapping ? point : std::nullopt;
}

}  // namespace tilewright
