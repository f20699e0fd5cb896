#include "certificate/common/assignments.hpp"

#include "mapspace/variants.hpp"

namespace tilewright::certificate {
namespace {

void add_keeps(const Mapspace& mapspace, TilingPoint point, bool any_layout, std::vector<Assignment>& assignments) {
    KeepWalk keeps(mapspace, point);
    if (!keeps.any()) return;
    do assignments.push_back({point, any_layout});
    while (keeps.next());
}

std::string loops_text(const TilingLevel& level, int dimensions, bool any_layout) {
    std::string text;
    const auto add = [&text](int dimension, char how, std::int32_t extent) {
        text += (text.empty() ? " s" : ".") + std::to_string(dimension) + how + std::to_string(extent);
    };
    for (int d = 0; any_layout && d < dimensions; ++d)
        if (level.spatial[d] > 1) add(d, '*', level.spatial[d]);
    if (!any_layout)
        visit_spatial_loops(level, dimensions, [&](const SpatialLoop& loop, std::int32_t extent) {
            add(loop.dimension, loop.along_y ? 'y' : 'x', extent);
        });
    return text;
}

}  // namespace

std::vector<Assignment> assignments_of(const Mapspace& mapspace,
                                       const std::function<bool(const TilingPoint& spatial)>& laid_out) {
    std::vector<Assignment> assignments;
    mapspace.enumerate_spatial([&](const TilingPoint& spatial) {
        if (!laid_out(spatial)) {
            add_keeps(mapspace, spatial, true, assignments);
            return true;
        }
        TilingPoint point = spatial;
        return mapspace.visit_layouts(point, Mapspace::Cover::as_it_may_be, [&] {
            add_keeps(mapspace, point, false, assignments);
            return true;
        });
    });
    return assignments;
}

bool more_assignments_than(const Mapspace& mapspace, const std::function<bool(const TilingPoint& spatial)>& laid_out,
                           std::int64_t most) {
    const double keeps = KeepWalk::count(mapspace);
    const auto limit = static_cast<double>(most);
    double count = 0.0;
    const auto is_few = [&] { return (count += keeps) <= limit; };
    mapspace.enumerate_spatial([&](const TilingPoint& spatial) {
        if (!laid_out(spatial)) return is_few();
        TilingPoint point = spatial;
        return mapspace.visit_layouts(point, Mapspace::Cover::as_it_may_be, is_few);
    });
    return count > limit;
}

std::string to_text(const Assignment& assignment) {
    std::string text;
    for (int l = 0; l < assignment.point.level_count(); ++l) {
        const TilingLevel& level = assignment.point[l];
        text += (l == 0 ? "" : " ") + ("k" + std::to_string(level.keep.bits()));
        text += loops_text(level, assignment.point.dimension_count(), assignment.any_layout);
    }
    return text;
}

}  // namespace tilewright::certificate
