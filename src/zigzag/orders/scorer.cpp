#include "zigzag/orders/scorer.hpp"

#include <algorithm>
#include <variant>

#include "zigzag/stalls/stalls.hpp"

namespace tilewright::orders {

Scorer Scorer::within(zigzag::LoopOrder inner, zigzag::LoopOrder outer) const {
    Scorer scorer = *this;
    for (const zigzag::LoopOrder* side : {&inner, &outer})
        for (const std::uint8_t kind : *side)
            scorer.first_.erase(std::find(scorer.first_.begin(), scorer.first_.end(), kind));
    scorer.inner_ = std::move(inner);
    scorer.outer_ = std::move(outer);
    return scorer;
}

zigzag::LoopOrder Scorer::whole(std::span<const std::uint8_t> order) const {
    zigzag::LoopOrder whole = inner_;
    whole.insert(whole.end(), order.begin(), order.end());
    whole.insert(whole.end(), outer_.begin(), outer_.end());
    return whole;
}

std::optional<zigzag::OrderCost> Scorer::cost_with_stalls(std::span<const std::uint8_t> order) const {
    const std::optional<double> energy_pj = evaluator_->energy_pj(order);
    if (!energy_pj) return std::nullopt;
    const OrderProblem& problem = *stalls_of_;
    const auto allocated = zigzag::allocate(problem.accelerator, problem.layer, problem.fractional,
                                            evaluator_->loops_of(order), problem.evenness);
    const stalls::Result result = stalls::latency(problem.accelerator, problem.layer, problem.unrolling,
                                                  std::get<zigzag::UnevenMapping>(allocated));
    if (!result.refusal.empty()) return std::nullopt;
    return zigzag::OrderCost{*energy_pj, result.latency.total()};
}

void Found::merge(const Found& later) {
    evaluations += later.evaluations;
    fitting += later.fitting;
    interrupted = interrupted || later.interrupted;
    if (later.order.empty() || (!order.empty() && !(later.score < score))) return;
    order = later.order;
    score = later.score;
}

}  // namespace tilewright::orders
