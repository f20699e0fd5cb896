#include "mapper/optimal/geometry/assignments.hpp"

#include <algorithm>
#include <functional>

namespace tilewright::optimal {
namespace {

constexpr unsigned kLoopBits = 6;  ///< bits of a fan-out's number of loops

using Visit = std::function<bool(const TilingPoint&)>;

bool choose_keeps(const Mapspace& mapspace, TilingPoint& point, int level, std::uint32_t kept, const Visit& visit) {
    if (level == point.level_count()) return kept != mapspace.all_tensors().bits() || visit(point);
    const std::uint32_t fixed = mapspace.kept_tensors(level).bits();
    const std::uint32_t free = mapspace.free_tensors(level).bits();
    std::uint32_t chosen = 0;
    do {  // all subsets of the free tensors
        point[level].keep = TensorSet::from_bits(fixed | chosen);
        if (!choose_keeps(mapspace, point, level + 1, kept | fixed | chosen, visit)) return false;
        chosen = (chosen - free) & free;
    } while (chosen != 0);
    return true;
}

}  // namespace

Assignment::Assignment(const TilingPoint& point) {
    for (int l = 0; l < point.level_count(); ++l) {
        const TilingLevel& level = point[l];
        const std::size_t head = code_.size();
        code_.push_back(0);
        std::uint32_t loops = 0;
        visit_spatial_loops(level, point.dimension_count(), [&](const SpatialLoop& loop, std::int32_t extent) {
            code_.push_back(loop.dimension * 2 + (loop.along_y ? 1 : 0));
            code_.push_back(extent);
            code_.push_back(level.spatial[loop.dimension]);
            ++loops;
        });
        code_[head] = static_cast<std::int32_t>(level.keep.bits() << kLoopBits | loops);
    }
}

TilingPoint Assignment::point(const Mapspace& mapspace) const {
    TilingPoint point = mapspace.first_point();
    auto at = code_.begin();
    for (int l = 0; l < point.level_count(); ++l) {
        const auto head = static_cast<std::uint32_t>(*at++);
        TilingLevel& level = point[l];
        level.keep = TensorSet::from_bits(head >> kLoopBits);
        for (std::uint32_t place = 0; place < (head & ((1U << kLoopBits) - 1U)); ++place, at += 3) {
            const SpatialLoop loop{static_cast<std::uint8_t>(at[0] / 2), at[0] % 2 != 0};
            (loop.along_y ? level.along_y : level.along_x)[loop.dimension] = at[1];
            level.spatial[loop.dimension] = at[2];
            const auto found = std::ranges::find(level.spatial_order, loop);
            std::rotate(level.spatial_order.begin() + place, found, found + 1);
        }
    }
    return point;
}

bool visit_assignments(const Mapspace& mapspace, const std::function<bool(const TilingPoint&)>& visit) {
    return mapspace.enumerate_spatial([&](const TilingPoint& spatial) {
        TilingPoint point = spatial;
        return choose_keeps(mapspace, point, 0, 0, visit);
    });
}

}  // namespace tilewright::optimal
