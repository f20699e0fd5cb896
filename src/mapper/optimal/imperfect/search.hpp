// Follows one assignment of a mapspace with spatial remainders to its end.
#pragma once

#include <functional>

#include "mapper/optimal/imperfect/labels.hpp"
#include "model/lean/lean.hpp"

namespace tilewright::optimal {

struct ImperfectHooks {
    Pruning pruning;
    /// Of two nests of equal energy the slower may be worse by more than a tie.
    bool time_matters = true;
    /// Memories are probably slower than the compute units.
    bool is_throttled = false;
    std::function<void(const TilingPoint&, const LeanCost&)> found;
    /// Called with lower bounds of parts not followed further.
    std::function<void(double energy_pj, double cycles)> open;
    std::function<bool()> stop;
    /// If set: called instead of slow steps.
    std::function<void()> later;
};

/// False if stopped: incomplete.
bool follow_imperfect(const Mapspace& mapspace, const ImperfectCharges& charges,
                      ImperfectCompletionBound& completion_bound, const LeanEvaluator& evaluator,
                      const ImperfectHooks& hooks);

/// Quick search for good nests of one assignment.
void dive_imperfect(const Mapspace& mapspace, const ImperfectCharges& charges,
                    ImperfectCompletionBound& completion_bound, const LeanEvaluator& evaluator,
                    const ImperfectHooks& hooks);

}  // namespace tilewright::optimal
