// Imperfect prove: bounds and follows assignments with spatial remainders. Internal to certificate/.
#pragma once

#include <functional>

#include "certificate/imperfect/charges.hpp"
#include "certificate/imperfect/nests.hpp"

namespace tilewright::certificate {

/// Thread-safe.
class ImperfectProver {
   public:
    /// All have to outlive it. Requires perfect temporal factors.
    ImperfectProver(const Ground& ground, const Mapspace& mapspace, const Goal& goal)
        : ground_(ground),
          mapspace_(mapspace),
          goal_(goal),
          evaluator_(ground.einsum, ground.architecture),
          chains_(ground, mapspace) {}

    /// No nest of the assignment has remainders, or idle neighbours in a layout of other costs: tighter bounds apply.
    bool divides(const TilingPoint& assignment) {
        for (int l = 0; l < assignment.level_count(); ++l) {
            if (mapspace_.counts_addressed(l)) return false;
            if (ground_.wires_cost && mapspace_.has_partial_layouts(l)) return false;
            for (int d = 0; d < assignment.dimension_count(); ++d)
                if (std::int64_t{assignment[l].along_x[d]} * assignment[l].along_y[d] != assignment[l].spatial[d])
                    return false;
        }
        for (int d = 0; d < assignment.dimension_count(); ++d)
            if (chains_.of(d, assignment).is_ever_imperfect()) return false;
        return true;
    }

    Cost every_word_once(const TilingPoint& assignment) {
        const ImperfectCharges charges(ground_, chains_, mapspace_, assignment);
        PartialCost partial_cost = charges.start();
        partial_cost.pj += charges.outside_pj().back();
        return charges.cost_of(partial_cost, charges.least_steps());
    }

    ImperfectFinding follow(const TilingPoint& assignment, const std::function<bool()>& stop) {
        ImperfectCharges charges(ground_, chains_, mapspace_, assignment);
        return follow_imperfect(mapspace_, charges, evaluator_, goal_, stop);
    }

    /// False: too many nests.
    bool list(const TilingPoint& assignment, const NestSink& sink) {
        ImperfectCharges charges(ground_, chains_, mapspace_, assignment);
        return list_imperfect(mapspace_, charges, evaluator_, sink);
    }

   private:
    const Ground& ground_;
    const Mapspace& mapspace_;
    const Goal& goal_;
    LeanEvaluator evaluator_;
    Chains chains_;
};

}  // namespace tilewright::certificate
