// Score of an order under an objective, computing only the required costs.
#pragma once

#include <limits>
#include <utility>

#include "zigzag/orders/problem.hpp"

namespace tilewright::orders {

class Scorer {
   public:
    /// ZigZag's latency.
    Scorer(const zigzag::OrderEvaluator& evaluator, const Objective& objective)
        : evaluator_(&evaluator), objective_(objective), first_(evaluator.first_order()) {}
    /// The problem's latency.
    Scorer(const zigzag::OrderEvaluator& evaluator, const Objective& objective, const OrderProblem& problem)
        : Scorer(evaluator, objective) {
        if (problem.latency == LatencyModel::stalls) stalls_of_ = &problem;
    }

    /// Fixes inner and outer loops, by kind; the scorer's orders are the loops between them.
    Scorer within(zigzag::LoopOrder inner, zigzag::LoopOrder outer) const;

    const zigzag::OrderEvaluator& evaluator() const { return *evaluator_; }
    const Objective& objective() const { return objective_; }
    const zigzag::LoopOrder& inner() const { return inner_; }
    const zigzag::LoopOrder& outer() const { return outer_; }

    /// The loops to order, ascending by kind.
    const zigzag::LoopOrder& first_order() const { return first_; }
    /// With the fixed loops around it.
    zigzag::LoopOrder whole(std::span<const std::uint8_t> order) const;

    /// Score::value of an order; infinite if it does not fit.
    double value(std::span<const std::uint8_t> order) const {
        if (objective_.kind == ObjectiveKind::energy && stalls_of_ == nullptr && is_whole())
            return evaluator_->energy_pj(order).value_or(std::numeric_limits<double>::infinity());
        return score(order).value;
    }

    Score score(std::span<const std::uint8_t> order) const {
        const std::optional<zigzag::OrderCost> one = cost(order);
        return one ? objective_.score(one->energy_pj, one->latency_cycles) : Score{};
    }

    /// Empty if it does not fit.
    std::optional<zigzag::OrderCost> cost(std::span<const std::uint8_t> order) const {
        if (!is_whole()) return cost_of_whole(whole(order));
        return cost_of_whole(order);
    }

   private:
    bool is_whole() const { return inner_.empty() && outer_.empty(); }
    std::optional<zigzag::OrderCost> cost_of_whole(std::span<const std::uint8_t> order) const {
        return stalls_of_ == nullptr ? evaluator_->cost(order) : cost_with_stalls(order);
    }
    std::optional<zigzag::OrderCost> cost_with_stalls(std::span<const std::uint8_t> order) const;

    const zigzag::OrderEvaluator* evaluator_;
    Objective objective_;
    zigzag::LoopOrder first_;
    zigzag::LoopOrder inner_;
    zigzag::LoopOrder outer_;
    const OrderProblem* stalls_of_ = nullptr;
};

}  // namespace tilewright::orders
