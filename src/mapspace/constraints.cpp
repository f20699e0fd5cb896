#include "mapspace/constraints.hpp"

#include <algorithm>

namespace tilewright {

bool allow_remainders_beyond(FactorRule rule, const Constraints& constraints) {
    const auto beyond = [rule](const LoopConstraint& loops, bool spatial) {
        return loops.remainders.value_or(1) > 1 && !allows_remainders(rule, spatial);
    };
    return std::any_of(constraints.levels.begin(), constraints.levels.end(), [&](const LevelConstraint& level) {
        return beyond(level.temporal, false) || beyond(level.spatial, true);
    });
}

}  // namespace tilewright
