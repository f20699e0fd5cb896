#include "mapspace/layouts.hpp"

#include <algorithm>

#include "base/numbers/checked.hpp"

namespace tilewright {
namespace {

// Room taken by a choice for the first dimensions, with its parts.
struct Taken {
    std::int64_t x = 1;
    std::int64_t y = 1;
    int before = -1;  ///< index of the choice for all dimensions but the last of them
    AxisExtents last;
};

// One more dimension. Of choices with the same room along X, the first with the least along Y is kept.
std::vector<Taken> add_dimension(const std::vector<Taken>& taken, const std::vector<AxisExtents>& ways,
                                 const Mesh& mesh) {
    std::vector<Taken> next;
    for (std::size_t i = 0; i < taken.size(); ++i)
        for (const AxisExtents& way : ways) {
            const Taken more{taken[i].x * way.x, taken[i].y * way.y, static_cast<int>(i), way};
            if (more.x > mesh.x || more.y > mesh.y) continue;
            const auto same = std::ranges::find(next, more.x, &Taken::x);
            if (same == next.end())
                next.push_back(more);
            else if (more.y < same->y)
                *same = more;
        }
    return next;
}

std::optional<std::vector<AxisExtents>> fit(const std::vector<std::vector<AxisExtents>>& ways, const Mesh& mesh) {
    std::vector<std::vector<Taken>> taken{{Taken{}}};
    for (const std::vector<AxisExtents>& of_dimension : ways) {
        taken.push_back(add_dimension(taken.back(), of_dimension, mesh));
        if (taken.back().empty()) return std::nullopt;
    }
    std::vector<AxisExtents> chosen(ways.size());
    int at = 0;
    for (std::size_t d = ways.size(); d > 0; --d) {
        const Taken& choice = taken[d][at];
        chosen[d - 1] = choice.last;
        at = choice.before;
    }
    return chosen;
}

bool visit_axes_from(const std::vector<std::vector<AxisExtents>>& ways, const Mesh& room,
                     std::vector<AxisExtents>& chosen,
                     const std::function<bool(const std::vector<AxisExtents>&)>& visit) {
    if (chosen.size() == ways.size()) return visit(chosen);
    for (const AxisExtents& way : ways[chosen.size()]) {
        if (way.x > room.x || way.y > room.y) continue;
        chosen.push_back(way);
        const bool go_on = visit_axes_from(ways, {room.x / way.x, room.y / way.y}, chosen, visit);
        chosen.pop_back();
        if (!go_on) return false;
    }
    return true;
}

}  // namespace

bool covers(std::int32_t shared, const AxisExtents& extents, bool y_is_inside) {
    if (extents.x == 1 || extents.y == 1) return std::int64_t{extents.x} * extents.y == shared;
    const std::int32_t inner = y_is_inside ? extents.y : extents.x;
    const std::int32_t outer = y_is_inside ? extents.x : extents.y;
    return ceil_div(shared, inner) == outer;
}

std::vector<AxisExtents> ways_along_axes(const SharedDimension& dimension, const Mesh& mesh) {
    const std::int32_t shared = dimension.shared;
    std::vector<AxisExtents> ways;
    if (dimension.may_x && shared <= mesh.x) ways.push_back({shared, 1});
    if (dimension.may_y && shared <= mesh.y) ways.push_back({1, shared});
    if (!dimension.may_both || !dimension.may_x || !dimension.may_y) return ways;
    for (std::int32_t x = 2; x <= std::min<std::int64_t>(mesh.x, shared - 1); ++x) {
        const std::int64_t least = ceil_div(shared, x);  // with the loop along X inside, or in any order if it divides
        const std::int64_t most = std::max<std::int64_t>(least, (shared - 1) / (x - 1));  // with the one along Y inside
        for (std::int64_t y = least; y <= std::min<std::int64_t>({mesh.y, shared - 1, most}); ++y)
            if (y > 1 && (dimension.may_be_partial || x * y == shared))
                ways.push_back({x, static_cast<std::int32_t>(y)});
    }
    if (dimension.x_inside)
        std::erase_if(ways, [shared](const AxisExtents& way) { return !covers(shared, way, false); });
    return ways;
}

std::optional<std::vector<AxisExtents>> fit_on_mesh(const std::vector<SharedDimension>& dimensions, const Mesh& mesh) {
    std::int64_t neighbours = 1;
    for (const SharedDimension& one : dimensions) neighbours = saturating_mul(neighbours, one.shared);
    if (neighbours > mesh.size()) return std::nullopt;
    std::vector<std::vector<AxisExtents>> along_one;
    std::vector<std::vector<AxisExtents>> all;
    for (const SharedDimension& one : dimensions) {
        all.push_back(ways_along_axes(one, mesh));
        along_one.push_back(all.back());
        std::erase_if(along_one.back(), [](const AxisExtents& way) { return way.x > 1 && way.y > 1; });
    }
    if (auto chosen = fit(along_one, mesh)) return chosen;
    return fit(all, mesh);
}

// As fit(): of choices with the same room along X, the first with the least along Y is kept.
std::optional<std::uint32_t> fit_along_one_axis(const SharedAlongOne& dimensions, const Mesh& mesh) {
    struct Open {
        std::int64_t x;
        std::int64_t y;
        std::uint32_t along_y;
    };
    constexpr std::size_t kMost = 64;
    std::array<Open, kMost> open;
    open.front() = {1, 1, 0};
    std::size_t count = 1;
    for (int i = 0; i < dimensions.count; ++i) {
        const std::int64_t shared = dimensions.shared[i];
        const std::uint32_t bit = 1U << i;
        std::array<Open, kMost> next;
        std::size_t found = 0;
        for (std::size_t o = 0; o < count; ++o)
            for (const bool on_y : {false, true}) {
                if (((on_y ? dimensions.may_y : dimensions.may_x) & bit) == 0) continue;
                Open more = open[o];
                (on_y ? more.y : more.x) *= shared;
                if (on_y) more.along_y |= bit;
                if (more.x > mesh.x || more.y > mesh.y) continue;
                Open* const end = next.data() + found;
                Open* const same = std::find_if(next.data(), end, [&](const Open& one) { return one.x == more.x; });
                if (same == end) {
                    if (found == kMost) return std::nullopt;
                    next[found++] = more;
                } else if (more.y < same->y) {
                    *same = more;
                }
            }
        if (found == 0) return std::nullopt;
        std::copy_n(next.begin(), found, open.begin());
        count = found;
    }
    return open.front().along_y;
}

bool visit_axes(const std::vector<SharedDimension>& dimensions, const Mesh& mesh,
                const std::function<bool(const std::vector<AxisExtents>&)>& visit) {
    std::vector<std::vector<AxisExtents>> ways;
    for (const SharedDimension& one : dimensions) ways.push_back(ways_along_axes(one, mesh));
    std::vector<AxisExtents> chosen;
    return visit_axes_from(ways, mesh, chosen, visit);
}

LayoutKey layout_key(const TilingLevel& level, int dimension_count, bool clustered) {
    LayoutKey key;
    visit_spatial_loops(level, dimension_count, [&](const SpatialLoop& loop, std::int32_t extent) {
        if (!key.empty() && key.back().first == loop.dimension)
            key.back().second = level.spatial[loop.dimension];
        else
            key.emplace_back(loop.dimension, extent);
    });
    for (int d = 0; d < dimension_count; ++d)
        if (const std::int32_t addressed = level.along_x[d] * level.along_y[d]; addressed != level.spatial[d])
            key.emplace_back(kMaxDimensions + d, clustered ? addressed : 0);
    return key;
}

}  // namespace tilewright
