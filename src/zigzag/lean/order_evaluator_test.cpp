#include "zigzag/lean/order_evaluator.hpp"

#include <gmock/gmock.h>

#include "fixtures/zigzag_problem.hpp"
#include "zigzag/accounting/zigzag.hpp"

namespace tilewright::zigzag::order_evaluator_test {
namespace {

LoopOrder kinds_of(const OrderEvaluator& evaluator, const std::vector<TemporalLoop>& order) {
    LoopOrder kinds;
    for (const TemporalLoop& loop : order)
        kinds.push_back(static_cast<std::uint8_t>(std::find(evaluator.kinds().begin(), evaluator.kinds().end(), loop) -
                                                  evaluator.kinds().begin()));
    return kinds;
}

TEST(OrderEvaluator, EqualsAllocationAndFullAccountToTheLastBit) {
    Random random(11);
    int fitting = 0;
    constexpr int kProblems = 2000;
    for (int i = 0; i < kProblems; ++i) {
        const RandomProblem problem = random_problem(random);
        const OrderEvaluator evaluator = problem.evaluator();
        for (int repeat = 0; repeat < 4; ++repeat) {
            const std::vector<TemporalLoop> order = problem.random_order(random);
            const std::optional<OrderCost> cost = evaluator.cost(kinds_of(evaluator, order));
            const auto allocated = problem.allocated(order);
            ASSERT_EQ(cost.has_value(), std::holds_alternative<UnevenMapping>(allocated)) << "problem " << i;
            if (!cost) continue;
            ++fitting;
            const Result result = evaluate(problem.machine, problem.layer, {problem.fractional, problem.whole},
                                           std::get<UnevenMapping>(allocated));
            ASSERT_EQ(result.refusal, "") << "problem " << i;
            ASSERT_EQ(cost->energy_pj, result.energy_pj()) << "problem " << i;
            ASSERT_EQ(cost->latency_cycles, result.latency.total()) << "problem " << i;
            ASSERT_EQ(evaluator.energy_pj(kinds_of(evaluator, order)), cost->energy_pj);
        }
    }
    EXPECT_GT(fitting, kProblems);
}

}  // namespace
}  // namespace tilewright::zigzag::order_evaluator_test
