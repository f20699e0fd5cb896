#include "codesign/product_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/numbers/random.hpp"

namespace tilewright::codesign::product_bound_test {
namespace {

double draw(Random& random, double least, double most) {
    return least + (most - least) * static_cast<double>(random.below(1'000'001)) / 1e6;
}

TEST(ProductBound, OfOneLayerIsItsObjective) {
    EXPECT_NEAR(least_product({{3.0, 10.0, 5.0, 80.0}}, 1.0, 1.0), 9.0 * 80.0, 1e-6);
    EXPECT_NEAR(least_product({{1.0, 10.0, 5.0, 700.0}}, 1.0, 2.0), 700.0, 1e-6);
}

TEST(ProductBound, OfEnergyOrLatencyAloneIsASum) {
    const std::vector<LayerFloor> layers{{2.0, 10.0, 5.0, 12.0}, {1.0, 30.0, 7.0, 20.0}};
    EXPECT_DOUBLE_EQ(least_product(layers, 1.0, 0.0), 2.0 * 12.0 + 30.0);
    EXPECT_DOUBLE_EQ(least_product(layers, 0.0, 1.0), 2.0 * 12.0 + 20.0);
}

// Two layers of equal products, one of high power and one of low: together they bound more than alone.
TEST(ProductBound, KnowsThatLayersDifferInPower) {
    const std::vector<LayerFloor> free{{1.0, 0.0, 0.0, 100.0}, {1.0, 0.0, 0.0, 100.0}};
    EXPECT_NEAR(least_product(free, 1.0, 1.0), 400.0, 1e-6);
    const std::vector<LayerFloor> apart{{1.0, 100.0, 1.0, 100.0}, {1.0, 1.0, 100.0, 100.0}};
    EXPECT_NEAR(least_product(apart, 1.0, 1.0), 101.0 * 101.0, 1e-4);
}

// No choice of energies and cycles within the floors has a smaller product; some come close.
TEST(ProductBound, IsMetByNoChoiceAndNearlyBySome) {
    Random random(1);
    double closest = 10.0;
    for (int round = 0; round < 200; ++round) {
        const double a = round % 3 == 0 ? 1.0 : 2.0;
        const double b = round % 3 == 2 ? 2.0 : 1.0;
        std::vector<LayerFloor> layers;
        for (int i = 0; i < 3; ++i) {
            LayerFloor layer{draw(random, 1.0, 4.0), draw(random, 1.0, 50.0), draw(random, 1.0, 50.0), 0.0};
            layer.objective =
                std::pow(layer.energy_pj, a) * std::pow(layer.cycles, b) * std::exp(draw(random, -0.5, 2.0));
            layers.push_back(layer);
        }
        const double bound = least_product(layers, a, b);
        for (int choice = 0; choice < 300; ++choice) {
            double energy = 0.0;
            double cycles = 0.0;
            for (const LayerFloor& layer : layers) {
                const double e = layer.energy_pj * std::exp(draw(random, 0.0, 1.0));
                const double c = std::max(layer.cycles, std::pow(layer.objective / std::pow(e, a), 1.0 / b));
                energy += layer.repeats * e;
                cycles += layer.repeats * c;
            }
            const double product = std::pow(energy, a) * std::pow(cycles, b);
            ASSERT_GE(product, bound * (1.0 - 1e-9));
            closest = std::min(closest, product / bound);
        }
    }
    EXPECT_LT(closest, 1.01);
}

// The objective of energy and cycles at their least, a little more and a little less: powers are rounded.
TEST(ProductBound, IsFoundWhereAllFloorsMeet) {
    Random random(2);
    for (int round = 0; round < 2000; ++round) {
        LayerFloor layer{1.0, draw(random, 0.1, 1e6), std::floor(draw(random, 1.0, 1e6)), 0.0};
        for (const double share : {1.0 - 1e-16, 1.0, 1.0 + 2e-16, 1.0 + 1e-15}) {
            layer.objective = layer.energy_pj * layer.cycles * share;
            ASSERT_NEAR(least_product({layer}, 1.0, 1.0) / layer.objective, 1.0, 1e-9);
            const double squared = layer.energy_pj * layer.cycles * layer.cycles;
            layer.objective = squared * share;
            ASSERT_NEAR(least_product({layer}, 1.0, 2.0) / squared, 1.0, 1e-9);
        }
    }
}

TEST(ProductBound, OfWhatCostsNothingIsNothing) {
    EXPECT_LT(least_product({{1.0, 0.0, 1.0, 0.0}}, 1.0, 1.0), 1e-20);
    EXPECT_EQ(least_product({}, 1.0, 1.0), 0.0);
}

}  // namespace
}  // namespace tilewright::codesign::product_bound_test
