#include "run/fused/unconstrained.hpp"

#include <algorithm>

namespace tilewright {
namespace {

bool is_free(const LoopConstraint& loops) {
    return loops.inner.empty() && loops.outer.empty() && !loops.split && !loops.one_axis && !loops.remainders &&
           std::ranges::all_of(loops.factors, [](const FactorConstraint& one) { return one == FactorConstraint{}; });
}

}  // namespace

bool is_unconstrained(const Constraints& constraints) {
    bool free = constraints.min_parallelism == 0.0;
    for (std::size_t level = 0; level < constraints.levels.size(); ++level) {
        const LevelConstraint& at = constraints.levels[level];
        free = free && is_free(at.temporal) && is_free(at.spatial) && at.must_bypass.empty() &&
               (level == 0 || at.must_keep.empty());
    }
    return free;
}

}  // namespace tilewright
