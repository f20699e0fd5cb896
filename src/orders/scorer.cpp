#include "orders/scorer.hpp"

#include <variant>

#include "stalls/stalls.hpp"

namespace tilewright::orders {

std::optional<zigzag::OrderCost> Scorer::cost_with_stalls(std::span<const std::uint8_t> order) const {
    const std::optional<double> energy_pj = evaluator_->energy_pj(order);
    if (!energy_pj) return std::nullopt;
    const Problem& problem = *stalls_of_;
    const auto allocated = zigzag::allocate(problem.accelerator, problem.layer, problem.fractional,
                                            evaluator_->loops_of(order), problem.evenness);
    const stalls::Result result = stalls::latency(problem.accelerator, problem.layer, problem.unrolling,
                                                  std::get<zigzag::UnevenMapping>(allocated));
    if (!result.refusal.empty()) return std::nullopt;
    return zigzag::OrderCost{*energy_pj, result.latency.total()};
}

}  // namespace tilewright::orders
