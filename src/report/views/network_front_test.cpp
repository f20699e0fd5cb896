#include "report/views/network_front.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tilewright::views::network_front_test {
namespace {

struct Point {
    double cycles = 0.0;
    double energy_pj = 0.0;
};

// Layers with random fronts; the last without one.
Run random_run(std::mt19937& random) {
    views::Run run;
    for (int l = 0; l < 4; ++l) {
        Layer& layer = run.layers.emplace_back();
        layer.name = "layer" + std::to_string(l);
        layer.repeats = 1 + static_cast<double>(random() % 3);
        layer.costs.emplace();
        layer.costs->cycles = 1 + static_cast<double>(random() % 50);
        layer.costs->energy_pj = 1 + static_cast<double>(random() % 50);
        if (l == 3) continue;
        for (std::size_t i = 0; i < 1 + random() % 6; ++i)
            layer.front.push_back(
                {1.0 + static_cast<double>(random() % 50), 1 + static_cast<std::int64_t>(random() % 50), {}, {}});
    }
    return run;
}

std::vector<Point> all_choices(const Run& run) {
    std::vector<Point> sums{{}};
    for (const Layer& layer : run.layers) {
        std::vector<Point> longer;
        for (const Point& sum : sums) {
            if (layer.front.empty())
                longer.push_back({sum.cycles + layer.costs->cycles * layer.repeats,
                                  sum.energy_pj + layer.costs->energy_pj * layer.repeats});
            for (const document::FrontPoint& point : layer.front)
                longer.push_back({sum.cycles + static_cast<double>(point.cycles) * layer.repeats,
                                  sum.energy_pj + point.energy_pj * layer.repeats});
        }
        sums = std::move(longer);
    }
    return sums;
}

// No choice dominates one of the front, and for every weighting one of the front is the best.
TEST(NetworkFront, IsTheBestOfAllChoicesForEveryWeighting) {
    std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same cases every time
    int compared = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const views::Run run = random_run(random);
        const std::vector<Point> all = all_choices(run);
        const std::vector<NetworkChoice> front = network_front(run);
        ASSERT_FALSE(front.empty());
        for (const NetworkChoice& choice : front) {
            for (const Point& other : all) {
                EXPECT_FALSE(other.cycles <= choice.cycles && other.energy_pj < choice.energy_pj - 1e-9);
                EXPECT_FALSE(other.cycles < choice.cycles && other.energy_pj <= choice.energy_pj + 1e-9);
            }
            ++compared;
        }
        for (const double weight : {0.0, 0.01, 0.3, 0.5, 0.9, 2.0, 40.0}) {
            double best = 1e300;
            double of_front = 1e300;
            for (const Point& one : all) best = std::min(best, one.energy_pj + weight * one.cycles);
            for (const NetworkChoice& one : front) of_front = std::min(of_front, one.energy_pj + weight * one.cycles);
            EXPECT_NEAR(best, of_front, 1e-9);
        }
    }
    EXPECT_GT(compared, 900);
}

TEST(NetworkFront, AChoiceIsWhatItsMappingsCost) {
    std::mt19937 random(3);  // NOLINT(cert-msc51-cpp)
    for (int trial = 0; trial < 100; ++trial) {
        const views::Run run = random_run(random);
        for (const NetworkChoice& choice : network_front(run)) {
            double energy = 0.0;
            ASSERT_EQ(choice.mappings.size(), run.layers.size());
            for (std::size_t l = 0; l < run.layers.size(); ++l) {
                const Layer& layer = run.layers[l];
                energy += layer.repeats *
                          (layer.front.empty() ? layer.costs->energy_pj : layer.front[choice.mappings[l]].energy_pj);
            }
            EXPECT_NEAR(choice.energy_pj, energy, 1e-9);
        }
    }
}

TEST(NetworkFront, ThereIsNoneWithoutAFront) {
    views::Run run;
    EXPECT_TRUE(network_front(run).empty());
    run.layers.emplace_back().costs.emplace();
    EXPECT_TRUE(network_front(run).empty());
}

}  // namespace
}  // namespace tilewright::views::network_front_test
