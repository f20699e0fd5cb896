#include "zigzag/orders/optimal.hpp"

#include <gmock/gmock.h>

#include "base/numbers/count.hpp"
#include "fixtures/zigzag_problem.hpp"

namespace tilewright::orders::optimal_test {
namespace {

Objective energy() { return {ObjectiveKind::energy}; }

TEST(OptimalOrder, EqualsTheBestOfAllOrders) {
    Random random(17);
    int fitting = 0;
    std::int64_t all_orders = 0;
    std::int64_t costed = 0;
    for (int i = 0; i < 1200; ++i) {
        const zigzag::OrderEvaluator evaluator = zigzag::random_problem(random).evaluator();
        if (count_orders(evaluator.first_order()) > 5000) continue;
        const Found all = search_all({evaluator, energy()}, {});
        const Found best = search_best_energy({evaluator, energy()}, {}).value();
        ASSERT_TRUE(best.complete);
        ASSERT_EQ(best.order.empty(), all.order.empty()) << "problem " << i;
        if (all.order.empty()) continue;
        ++fitting;
        ASSERT_NEAR(best.score.value, all.score.value, 1e-11 * all.score.value) << "problem " << i;
        ASSERT_EQ(best.score.value, evaluator.energy_pj(best.order));
        all_orders += all.evaluations;
        costed += best.evaluations;
    }
    EXPECT_GT(fitting, 500);
    EXPECT_LT(costed * 4, all_orders) << "fractions and shared memories cost more orders than one each";
}

TEST(OptimalOrder, IsKnownAfterFewOrdersWhereTilesAreWhole) {
    // 12!/(4! 3!) = 3,326,400 orders
    zigzag::Layer layer = zigzag::sample::convolution({1, 64, 32, 14, 14, 3, 3});
    const zigzag::Accelerator machine = zigzag::sample::array_of(4, 4);
    const zigzag::ArrayUnrolling unrolling{{{zigzag::sample::K, 4}}, {{zigzag::sample::C, 4}}};
    const zigzag::SpatialMapping spatial =
        zigzag::spatial_mapping(machine, layer, unrolling, zigzag::UnrollRounding::fractional);
    const zigzag::OrderEvaluator evaluator(machine, layer, spatial, spatial, zigzag::loop_factors(layer, spatial),
                                           zigzag::Evenness::uneven);
    const Found found = search_best_energy({evaluator, energy()}, {}).value();
    EXPECT_TRUE(found.complete);
    EXPECT_LT(found.evaluations, 100);
}

}  // namespace
}  // namespace tilewright::orders::optimal_test
