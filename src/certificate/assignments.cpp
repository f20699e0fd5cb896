#include "certificate/assignments.hpp"

#include <set>

#include "mapspace/variants.hpp"

namespace tilewright::certificate {
namespace {

std::vector<std::int32_t> factors_of(const PerfectPoint& point) {
    std::vector<std::int32_t> factors;
    for (int l = 0; l < point.level_count(); ++l)
        for (int d = 0; d < point.dimension_count(); ++d) factors.push_back(point[l].spatial[d]);
    return factors;
}

}  // namespace

std::vector<PerfectPoint> assignments_of(const Mapspace& mapspace, bool axes_matter) {
    std::vector<PerfectPoint> assignments;
    std::set<std::vector<std::int32_t>> seen;
    mapspace.enumerate_spatial([&](const PerfectPoint& spatial) {
        if (!axes_matter && !seen.insert(factors_of(spatial)).second) return true;
        PerfectPoint point = spatial;
        KeepWalk keeps(mapspace, point);
        if (!keeps.any()) return true;
        do assignments.push_back(point);
        while (keeps.next());
        return true;
    });
    return assignments;
}

std::string to_text(const PerfectPoint& assignment) {
    std::string text;
    for (int l = 0; l < assignment.level_count(); ++l) {
        const PerfectLevel& level = assignment[l];
        std::string factors;
        bool spreads = false;
        for (int d = 0; d < assignment.dimension_count(); ++d) {
            spreads = spreads || level.spatial[d] > 1;
            factors += (d == 0 ? "" : ".") + std::to_string(level.spatial[d]);
        }
        text += (l == 0 ? "" : " ") + ("k" + std::to_string(level.keep.bits()));
        if (spreads) text += " s" + factors;
        if (level.on_y != 0) text += " y" + std::to_string(level.on_y);
    }
    return text;
}

}  // namespace tilewright::certificate
