#include "mapper/front.hpp"

#include <algorithm>

namespace tilewright {

bool Front::offer(const FoundMapping& mapping, const LeanCost& cost, std::int64_t age) {
    const auto first = std::partition_point(
        points_.begin(), points_.end(), [&](const FrontPoint& other) { return other.cost.energy_pj < cost.energy_pj; });
    if (first != points_.begin() && (first - 1)->cost.cycles <= cost.cycles) return false;
    if (first != points_.end() && first->cost.energy_pj == cost.energy_pj && first->cost.cycles <= cost.cycles)
        return false;
    const auto last = std::partition_point(first, points_.end(),
                                           [&](const FrontPoint& other) { return other.cost.cycles >= cost.cycles; });
    points_.insert(points_.erase(first, last), FrontPoint{mapping, cost, age});
    return true;
}

}  // namespace tilewright
