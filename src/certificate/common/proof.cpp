#include "certificate/common/proof.hpp"

#include <algorithm>

namespace tilewright::certificate {
namespace {

bool no_less(double energy_pj, double than_pj) { return energy_pj >= than_pj * (1.0 - kTolerance); }

}  // namespace

bool falls_short(const Cost& real, const Cost& bound) {
    return !no_less(real.energy_pj, bound.energy_pj) || real.cycles < bound.cycles;
}

Goal Goal::optimal(const Objective& objective, const Cost& best) {
    Goal goal{objective, objective.score(best.energy_pj, best.cycles).value, {}, {best}};
    if (objective.kind == ObjectiveKind::latency) goal.tie_pj = best.energy_pj;
    return goal;
}

bool Goal::is_out_of_reach(const Cost& bound) const {
    if (!no_less(bound.energy_pj, least.energy_pj) || bound.cycles < least.cycles * (1.0 - kTolerance)) return false;
    if (objective.kind == ObjectiveKind::pareto)
        return std::any_of(front.begin(), front.end(), [&bound](const Cost& cost) {
            return no_less(bound.energy_pj, cost.energy_pj) && bound.cycles >= cost.cycles;
        });
    if (objective.kind == ObjectiveKind::latency)
        return bound.cycles > value || (bound.cycles == value && (!tie_pj || no_less(bound.energy_pj, *tie_pj)));
    return no_less(objective.score(bound.energy_pj, bound.cycles).value, value);
}

}  // namespace tilewright::certificate
