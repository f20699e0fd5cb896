// Score of an order under an objective, computing only the required costs.
// Loop-order search: the problem, the budget, and the result.
//
// ZigZag, LOMA and SALSA fix the spatial mapping and search only the order of the temporal loops' prime factors; the
// allocation follows from the order (zigzag/accounting/allocation.hpp). Not every mapping is an allocated order, but
// every order is one mapping, even or uneven.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers/count.hpp"
#include "base/stop.hpp"
#include "mapspace/order_chain.hpp"
#include "model/objective.hpp"
#include "zigzag/accounting/allocation.hpp"
#include "zigzag/lean/order_evaluator.hpp"
#include "zigzag/search/given_order.hpp"

namespace tilewright::orders {

/// Energies are ZigZag's in both.
enum class LatencyModel {
    zigzag,
    stalls  ///< ours (zigzag/stalls/stalls.hpp); honours forced double buffers
};

struct OrderProblem {
    zigzag::Accelerator accelerator;
    zigzag::Layer layer;
    zigzag::SpatialMapping fractional;
    zigzag::SpatialMapping whole;
    zigzag::Evenness evenness = zigzag::Evenness::uneven;
    zigzag::ArrayUnrolling unrolling;  ///< for LatencyModel::stalls and arrays computing in memory
    LatencyModel latency = LatencyModel::zigzag;
    zigzag::GivenOrder given;  ///< fixed beginning and end of all orders
};

struct Settings {
    Objective objective{ObjectiveKind::energy};
    int lpf_limit = 6;                       ///< loma: maximum number of prime factors (at least one per dimension)
    Cooling cooling;                         ///< salsa
    std::optional<std::int64_t> iterations;  ///< per annealing chain; empty: 1000 for salsa, 20000 for anneal
    std::int64_t chains = 1;                 ///< annealing: independent runs; the best counts
    /// Longer enumerations are not begun.
    std::int64_t most_orders = 1'000'000'000;
    std::uint64_t seed = 1;
    int threads = 1;  ///< 0: all; does not change the result
    const StopSource* stop = nullptr;
    std::optional<double> seconds;  ///< for all layers together; search_layers() splits it into deadlines
    Deadline deadline = std::nullopt;

    /// Whether to stop with the current result. A search asks at least ten times a second.
    bool ended() const { return (stop != nullptr && stop->requested()) || passed(deadline); }
};

/// The best order found and how.
struct Found {
    zigzag::LoopOrder order;  ///< empty if no fitting order was seen
    Score score;
    std::int64_t evaluations = 0;
    std::int64_t fitting = 0;  ///< evaluated orders within the capacities
    bool complete = false;     ///< proven optimal, by enumeration or bound
    bool interrupted = false;

    /// Merges `later`; on ties this one stays.
    void merge(const Found& later);
};

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
