#include "mapper/optimal/answer/judge.hpp"

#include <algorithm>
#include <limits>

namespace tilewright::optimal {

bool Judge::pruned(const Bound& bound, const Incumbent& incumbent) const {
    if (objective_.kind == ObjectiveKind::pareto)
        return std::any_of(incumbent.front.begin(), incumbent.front.end(), [&](const FrontPoint& point) {
            return point.cost.energy_pj * kClose <= bound.energy_pj &&
                   static_cast<double>(point.cost.cycles) <= bound.cycles;
        });
    const Score least = score(bound);
    if (least.value < incumbent.score.value * kClose) return false;
    return least.value * kClose > incumbent.score.value || least.tie >= incumbent.score.tie * kClose;
}

double Judge::limit_pj(double cycles, const Incumbent& incumbent) const {
    constexpr double kRoom = 1.0 + 1e-9;
    const Score& best = incumbent.score;
    if (objective_.kind == ObjectiveKind::energy) return best.value * kRoom;
    if (objective_.kind == ObjectiveKind::edp) return best.value / cycles * kRoom;
    if (objective_.kind == ObjectiveKind::latency && cycles >= best.value) return best.tie * kRoom;
    return std::numeric_limits<double>::infinity();
}

bool Judge::is_far(const Bound& bound, const Incumbent& incumbent) const {
    constexpr double kFar = 0.98;
    return objective_.kind != ObjectiveKind::pareto && score(bound).value < kFar * incumbent.score.value;
}

}  // namespace tilewright::optimal
