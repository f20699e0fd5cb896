#include "fusion/cost/cost.hpp"

#include <algorithm>
#include <limits>

namespace tilewright::fusion {
namespace {

// True when `middle` does not lie below the line from `left` to `right`.
bool is_no_corner(const Cost& left, const Cost& middle, const Cost& right) {
    return (middle.energy_pj - left.energy_pj) * (right.cycles - left.cycles) <=
           (middle.cycles - left.cycles) * (right.energy_pj - left.energy_pj);
}

}  // namespace

Hull hull_of(std::vector<Cost> points) {
    std::ranges::sort(points, {}, [](const Cost& one) { return std::pair(one.energy_pj, one.cycles); });
    Hull hull;
    for (const Cost& point : points) {
        if (!hull.empty() && point.cycles >= hull.back().cycles) continue;
        while (hull.size() > 1 && is_no_corner(hull[hull.size() - 2], hull.back(), point)) hull.pop_back();
        hull.push_back(point);
    }
    return hull;
}

// Sides in the order of their slopes: the corners of the sum follow one another.
Hull sum(const Hull& a, const Hull& b) {
    Hull all;
    if (a.empty() || b.empty()) return all;
    std::size_t i = 0;
    std::size_t j = 0;
    while (true) {
        all.push_back({a[i].energy_pj + b[j].energy_pj, a[i].cycles + b[j].cycles});
        const bool is_last_a = i + 1 == a.size();
        const bool is_last_b = j + 1 == b.size();
        if (is_last_a && is_last_b) return all;
        const auto steeper = [&] {
            const double by_a = (a[i + 1].cycles - a[i].cycles) * (b[j + 1].energy_pj - b[j].energy_pj);
            const double by_b = (b[j + 1].cycles - b[j].cycles) * (a[i + 1].energy_pj - a[i].energy_pj);
            return by_a <= by_b;
        };
        if (is_last_b || (!is_last_a && steeper()))
            ++i;
        else
            ++j;
    }
}

double least_value(const Hull& hull, const Weights& weights) {
    double least = std::numeric_limits<double>::infinity();
    for (const Cost& corner : hull) least = std::min(least, weights.value(corner.energy_pj, corner.cycles));
    return least;
}

}  // namespace tilewright::fusion
