// What an order is worth for an objective, costing only what the objective asks for. Internal to orders/.
#pragma once

#include <limits>

#include "orders/problem.hpp"

namespace tilewright::orders {

class Scorer {
   public:
    Scorer(const zigzag::OrderEvaluator& evaluator, const Objective& objective)
        : evaluator_(evaluator), objective_(objective) {}

    /// Score::value of an order; infinite when it does not fit.
    double value(std::span<const std::uint8_t> order) const {
        if (objective_.kind == ObjectiveKind::energy)
            return evaluator_.energy_pj(order).value_or(std::numeric_limits<double>::infinity());
        return score(order).value;
    }

    Score score(std::span<const std::uint8_t> order) const {
        const std::optional<zigzag::OrderCost> cost = evaluator_.cost(order);
        return cost ? objective_.score(cost->energy_pj, cost->latency_cycles) : Score{};
    }

   private:
    const zigzag::OrderEvaluator& evaluator_;
    Objective objective_;
};

}  // namespace tilewright::orders
