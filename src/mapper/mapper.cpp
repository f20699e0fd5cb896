#include "mapper/mapper.hpp"

#include <algorithm>

namespace tilewright {

std::string_view stop_reason_text(StopReason reason) {
    switch (reason) {
        case StopReason::victory: return "no improvement for as many mappings as the victory condition asks";
        case StopReason::evaluations: return "the evaluations are used up";
        case StopReason::time: return "the time is up";
        case StopReason::interrupted: return "interrupted";
        case StopReason::fruitless: return "gave up finding a valid mapping";
        case StopReason::finished: return "all that it tries was tried";
        case StopReason::exhausted: return "every mapping was seen";
        case StopReason::empty_mapspace: return "the constraints leave no mapping";
        case StopReason::proven: return "proven: no mapping is better";
        case StopReason::bounded: return "no better mapping was found; what remains is bounded, not proven";
        case StopReason::solved: return "the program is solved";
        case StopReason::too_large: return "the space has more mappings than an exhaustive search may visit";
    }
    return "";
}

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
