#include "mapper/optimal/assignments.hpp"

#include <functional>
#include <set>

namespace tilewright::optimal {
namespace {

bool spreads(const PerfectPoint& point, int level) {
    for (int d = 0; d < point.dimension_count(); ++d)
        if (point[level].spatial[d] != 1) return true;
    return false;
}

std::vector<std::int32_t> spatial_factors(const PerfectPoint& point) {
    std::vector<std::int32_t> factors;
    for (int l = 0; l < point.level_count(); ++l)
        factors.insert(factors.end(), point[l].spatial.begin(), point[l].spatial.begin() + point.dimension_count());
    return factors;
}

using Visit = std::function<bool(const PerfectPoint&)>;

// All choices of kept tensors that keep every tensor somewhere.
bool choose_keeps(const Mapspace& mapspace, PerfectPoint& point, int level, std::uint32_t kept, const Visit& visit) {
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

Assignment::Assignment(const PerfectPoint& point) {
    for (int l = 0; l < point.level_count(); ++l) {
        const bool spread = spreads(point, l);
        code_.push_back(static_cast<std::int32_t>(point[l].keep.bits() << 1U | (spread ? 1U : 0U)));
        if (!spread) continue;
        code_.push_back(static_cast<std::int32_t>(point[l].on_y));
        code_.insert(code_.end(), point[l].spatial.begin(), point[l].spatial.begin() + point.dimension_count());
    }
}

PerfectPoint Assignment::point(const Mapspace& mapspace) const {
    PerfectPoint point = mapspace.first_point();
    auto at = code_.begin();
    for (int l = 0; l < point.level_count(); ++l) {
        const auto head = static_cast<std::uint32_t>(*at++);
        point[l].keep = TensorSet::from_bits(head >> 1U);
        if ((head & 1U) != 0) {
            point[l].on_y = static_cast<std::uint32_t>(*at++);
            std::copy_n(at, point.dimension_count(), point[l].spatial.begin());
            at += point.dimension_count();
        }
        mapspace.order_spatial(point, l);
    }
    return point;
}

std::vector<Assignment> spatial_assignments_of(const Mapspace& mapspace, bool axes_matter) {
    std::vector<Assignment> all;
    std::set<std::vector<std::int32_t>> seen;
    mapspace.enumerate_spatial([&](const PerfectPoint& spatial) {
        if (axes_matter || seen.insert(spatial_factors(spatial)).second) all.emplace_back(spatial);
        return true;
    });
    return all;
}

bool visit_assignments(const Mapspace& mapspace, const std::function<bool(const PerfectPoint&)>& visit) {
    return mapspace.enumerate_spatial([&](const PerfectPoint& spatial) {
        PerfectPoint point = spatial;
        return choose_keeps(mapspace, point, 0, 0, visit);
    });
}

}  // namespace tilewright::optimal
