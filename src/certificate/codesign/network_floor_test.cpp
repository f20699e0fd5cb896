#include "certificate/codesign/network_floor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/numbers/random.hpp"

namespace tilewright::certificate::network_floor_test {
namespace {

TEST(NetworkFloor, AddsUpWhatIsAskedFor) {
    const std::vector<RepeatedFloor> layers{{2.0, {10.0, 3.0, 12.0}}, {1.0, {5.0, 4.0, 4.0}}};
    EXPECT_EQ(total_energy_pj(layers), 25.0);
    EXPECT_EQ(total_cycles(layers), 10.0);
    EXPECT_TRUE(comes_to(layers, "energy", 29.0));
    EXPECT_FALSE(comes_to(layers, "energy", 29.1));
    EXPECT_TRUE(comes_to(layers, "latency", 28.0));
    EXPECT_FALSE(comes_to(layers, "latency", 28.1));
}

TEST(NetworkFloor, KnowsMoreOfAProductThanItsFactors) {
    // 100 pJ in a cycle and a picojoule in 100 cycles: together 101 and 101.
    const std::vector<RepeatedFloor> layers{{1.0, {100.0, 1.0, 100.0}}, {1.0, {1.0, 100.0, 100.0}}};
    EXPECT_TRUE(comes_to(layers, "edp", 10'201.0));
    EXPECT_FALSE(comes_to(layers, "edp", 10'202.0));
}

TEST(NetworkFloor, SaysNothingOfWhatIsNotKnown) {
    EXPECT_TRUE(comes_to({}, "edp", 0.0));
    EXPECT_FALSE(comes_to({}, "edp", 1.0));
    EXPECT_FALSE(comes_to({{1.0, {0.0, 1.0, 0.0}}}, "edp", 1.0));
    EXPECT_TRUE(comes_to({{1.0, {0.0, 1.0, 7.0}}}, "edp", 7.0));
    EXPECT_FALSE(comes_to({{1.0, {0.0, 1.0, 7.0}}}, "edp", 7.1));
}

/// Possible energy and cycles of a layer with that floor, at its least product.
std::pair<double, double> drawn(const ProvenFloor& floor, Random& random) {
    const double product = std::max(floor.objective, floor.energy_pj * floor.cycles);
    const double most = product / floor.cycles;
    const double share = static_cast<double>(random.below(1001)) / 1000.0;
    const double energy = floor.energy_pj * std::pow(most / floor.energy_pj, share);
    return {energy, product / energy};
}

// The best of many draws is above the floor, and hardly so for two layers.
TEST(NetworkFloor, IsNeverAboveAProductThatTwoLayersHave) {
    Random random(11);
    int close = 0;
    for (int i = 0; i < 200; ++i) {
        std::vector<RepeatedFloor> layers;
        for (int l = 0; l < 2; ++l) {
            const double energy = 1.0 + static_cast<double>(random.below(1000));
            const double cycles = 1.0 + static_cast<double>(random.below(1000));
            const double over = 1.0 + static_cast<double>(random.below(40)) / 10.0;
            layers.push_back({1.0 + static_cast<double>(random.below(3)), {energy, cycles, energy * cycles * over}});
        }
        double least = 1e300;
        for (int draw = 0; draw < 20'000; ++draw) {
            const auto [e0, c0] = drawn(layers[0].floor, random);
            const auto [e1, c1] = drawn(layers[1].floor, random);
            least = std::min(least, (layers[0].repeats * e0 + layers[1].repeats * e1) *
                                        (layers[0].repeats * c0 + layers[1].repeats * c1));
        }
        EXPECT_FALSE(comes_to(layers, "edp", least * 1.000001));
        if (comes_to(layers, "edp", least * 0.999)) ++close;
    }
    EXPECT_GE(close, 180);
}

}  // namespace
}  // namespace tilewright::certificate::network_floor_test
