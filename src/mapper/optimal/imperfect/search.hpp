// Follows one assignment of a mapspace whose spatial factors may leave remainders to its end.
#pragma once

#include <functional>

#include "mapper/optimal/imperfect/labels.hpp"
#include "model/lean/lean.hpp"

namespace tilewright::optimal {

/// What the search tells, and asks.
struct ImperfectHooks {
    Pruning pruning;
    /// Of two nests of the same energy the slower one may be worse by more than a tie.
    bool time_matters = true;
    /// Memories are likely to be slower than the compute units.
    bool is_throttled = false;
    std::function<void(const TilingPoint&, const LeanCost&)> found;
    /// Something may cost as little as this; it was not followed further.
    std::function<void(double energy_pj, double cycles)> open;
    std::function<bool()> stop;
    /// If set: called instead of what takes long.
    std::function<void()> later;
};

/// False when it was told to stop: then it did not see everything.
bool follow_imperfect(const Mapspace& mapspace, const ImperfectCharges& charges,
                      ImperfectCompletionBound& completion_bound, const LeanEvaluator& evaluator,
                      const ImperfectHooks& hooks);

/// Looks quickly for good nests of one assignment.
void dive_imperfect(const Mapspace& mapspace, const ImperfectCharges& charges,
                    ImperfectCompletionBound& completion_bound, const LeanEvaluator& evaluator,
                    const ImperfectHooks& hooks);

}  // namespace tilewright::optimal
