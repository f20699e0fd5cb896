#include "certificate/goal.hpp"

#include <algorithm>

namespace tilewright::certificate {

bool Goal::is_out_of_reach(const Cost& bound) const {
    const auto no_less_energy = [&bound](const Cost& cost) {
        return bound.energy_pj >= cost.energy_pj * (1.0 - kTolerance);
    };
    if (objective.kind == ObjectiveKind::pareto)
        return std::any_of(best.begin(), best.end(),
                           [&](const Cost& cost) { return no_less_energy(cost) && bound.cycles >= cost.cycles; });
    if (objective.kind == ObjectiveKind::latency)
        return bound.cycles > best.front().cycles ||
               (bound.cycles == best.front().cycles && no_less_energy(best.front()));
    const auto value = [this](const Cost& cost) { return objective.score(cost.energy_pj, cost.cycles).value; };
    return value(bound) >= value(best.front()) * (1.0 - kTolerance);
}

}  // namespace tilewright::certificate
