#include "fusion/proof.hpp"

#include <algorithm>
#include <limits>

namespace tilewright::fusion {

Best best_weighted(Search& search, const Weights& weights, const Known& known) {
    constexpr double kFirstGap = 0.01;
    constexpr double kLastGap = 1e9;  // beyond this nothing fits into the buffer at all
    const Cost least = search.least();
    const double floor = weights.value(least.energy_pj, least.cycles);
    Best best;
    best.proofs = 1;
    best.bound = floor;
    double sure = std::numeric_limits<double>::infinity();
    for (const FusionPlan& plan : known) {
        const double value = weights.value(plan.energy_pj, plan.cycles);
        if (value >= sure) continue;
        sure = value;
        best.plan = plan;
    }
    try {
        for (double gap = kFirstGap; gap < kLastGap; gap *= 2.0) {
            const double guess = std::min(sure, floor * (1.0 + gap));
            ++best.rounds;
            if (std::optional<FusionPlan> plan = search.best(weights, guess)) {
                best.plan = std::move(plan);
                best.bound = weights.value(best.plan->energy_pj, best.plan->cycles);
                return best;
            }
            best.bound = guess;
            if (guess == sure) return best;
        }
    } catch (const Stopped&) {
        best.stopped = true;
        if (search.seen() && weights.value(search.seen()->energy_pj, search.seen()->cycles) < sure)
            best.plan = search.seen();
    }
    return best;
}

}  // namespace tilewright::fusion
