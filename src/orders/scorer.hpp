// What an order is worth for an objective, costing only what the objective asks for.
#pragma once

#include <limits>

#include "orders/problem.hpp"

namespace tilewright::orders {

class Scorer {
   public:
    /// ZigZag's latency.
    Scorer(const zigzag::OrderEvaluator& evaluator, const Objective& objective)
        : evaluator_(&evaluator), objective_(objective) {}
    /// The latency that the problem asks for.
    Scorer(const zigzag::OrderEvaluator& evaluator, const Objective& objective, const Problem& problem)
        : Scorer(evaluator, objective) {
        if (problem.latency == LatencyModel::stalls) stalls_of_ = &problem;
    }

    const zigzag::OrderEvaluator& evaluator() const { return *evaluator_; }
    const Objective& objective() const { return objective_; }

    /// Score::value of an order; infinite when it does not fit.
    double value(std::span<const std::uint8_t> order) const {
        if (objective_.kind == ObjectiveKind::energy && stalls_of_ == nullptr)
            return evaluator_->energy_pj(order).value_or(std::numeric_limits<double>::infinity());
        return score(order).value;
    }

    Score score(std::span<const std::uint8_t> order) const {
        const std::optional<zigzag::OrderCost> one = cost(order);
        return one ? objective_.score(one->energy_pj, one->latency_cycles) : Score{};
    }

    /// Nothing when it does not fit.
    std::optional<zigzag::OrderCost> cost(std::span<const std::uint8_t> order) const {
        return stalls_of_ == nullptr ? evaluator_->cost(order) : cost_with_stalls(order);
    }

   private:
    std::optional<zigzag::OrderCost> cost_with_stalls(std::span<const std::uint8_t> order) const;

    const zigzag::OrderEvaluator* evaluator_;
    Objective objective_;
    const Problem* stalls_of_ = nullptr;
};

}  // namespace tilewright::orders
