#include "zigzag/lean/order_bound.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "base/error.hpp"
#include "base/numbers/count.hpp"
#include "fixtures/zigzag_problem.hpp"

namespace tilewright::zigzag::order_bound_test {
namespace {

constexpr double kRounding = 1e-12;

LoopOrder random_order(const OrderEvaluator& evaluator, Random& random) {
    LoopOrder order = evaluator.first_order();
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return order;
}

TEST(OrderBound, NoContinuationIsCheaperThanTheBoundOfItsBeginning) {
    Random random(3);
    int fitting = 0;
    for (int i = 0; i < 500; ++i) {
        const RandomProblem problem = random_problem(random);
        const OrderEvaluator evaluator = problem.evaluator();
        OrderBound bound(evaluator);
        const LoopOrder order = random_order(evaluator, random);
        const std::optional<double> energy_pj = evaluator.energy_pj(order);
        if (!energy_pj) continue;
        ++fitting;
        OrderBound::Front front = bound.start();
        ASSERT_LE(bound.least_pj(front), *energy_pj * (1.0 + kRounding)) << "problem " << i;
        for (const std::uint8_t kind : order) {
            ASSERT_TRUE(bound.has_more(front, kind));
            front = bound.extended(front, kind);
            ASSERT_LE(bound.least_pj(front), *energy_pj * (1.0 + kRounding)) << "problem " << i;
        }
    }
    EXPECT_GT(fitting, 250);
}

// Otherwise the bound would be valid but useless.
TEST(OrderBound, MostlyIsTheEnergyOfTheBestOrder) {
    Random random(5);
    int problems = 0;
    int reached = 0;
    while (problems < 100) {
        const RandomProblem problem = random_problem(random);
        const OrderEvaluator evaluator = problem.evaluator();
        if (count_orders(evaluator.first_order()) > 2000) continue;
        LoopOrder order = evaluator.first_order();
        double best = std::numeric_limits<double>::infinity();
        do best = std::min(best, evaluator.energy_pj(order).value_or(best));
        while (next_order(order));
        if (best == std::numeric_limits<double>::infinity()) continue;
        ++problems;
        if (OrderBound(evaluator).least_pj() >= best * (1.0 - kRounding)) ++reached;
    }
    EXPECT_GT(reached, 75);
}

TEST(OrderBound, AMemoryThatHoldsNothingLeavesNoContinuation) {
    Random random(1);
    RandomProblem problem = random_problem(random);
    problem.machine.memories.front().size_bits = 1;
    derive(problem.machine);
    EXPECT_EQ(OrderBound(problem.evaluator()).least_pj(), std::numeric_limits<double>::infinity());
}

TEST(OrderBound, RefusesMoreStatesThanItMayKeep) {
    Random random(1);
    const RandomProblem problem = random_problem(random);
    EXPECT_THROW(OrderBound(problem.evaluator(), 1).least_pj(), InputError);
}

}  // namespace
}  // namespace tilewright::zigzag::order_bound_test
