#include "mapper/cosa/encoding/encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tilewright::cosa::stationarity_test {
namespace {

using testing::UnorderedElementsAre;

constexpr std::uint32_t kWeights = 1;
constexpr std::uint32_t kInputs = 2;
constexpr std::uint32_t kOutputs = 4;

// Brute force: the cheapest of all orders, each tensor paying for all loops but its innermost irrelevant ones.
double cheapest(std::vector<std::uint32_t> loops, const std::vector<double>& weights,
                const std::vector<double>& by_relevance) {
    std::sort(loops.begin(), loops.end());
    double best = INFINITY;
    do {
        double cost = 0.0;
        for (std::size_t t = 0; t < weights.size(); ++t) {
            bool seen = false;
            for (const std::uint32_t relevance : loops) {
                seen = seen || (relevance >> t & 1U) != 0;
                if (seen) cost += weights[t] * by_relevance[relevance];
            }
        }
        best = std::min(best, cost);
    } while (std::next_permutation(loops.begin(), loops.end()));
    return best;
}

TEST(Stationarity, AConvolutionHasThreeOrdersThatMatter) {
    // P, Q, N move inputs and outputs; C weights and inputs; K weights and outputs; R, S (in CoSA's view) weights.
    const std::vector<Chain> chains =
        stationarity_chains({kWeights, kInputs | kOutputs, kWeights | kInputs, kWeights | kOutputs});
    EXPECT_THAT(chains, UnorderedElementsAre(Chain{kWeights}, Chain{kInputs | kOutputs, kInputs},
                                             Chain{kInputs | kOutputs, kOutputs}));
}

TEST(Stationarity, AMatrixProductRestsOneTensorAtATime) {
    EXPECT_THAT(stationarity_chains({kInputs | kOutputs, kWeights | kInputs, kWeights | kOutputs}),
                UnorderedElementsAre(Chain{kWeights}, Chain{kInputs}, Chain{kOutputs}));
}

TEST(Stationarity, NothingRestsWhereEveryLoopMovesEverything) {
    EXPECT_TRUE(stationarity_chains({7, 7}).empty());
    EXPECT_TRUE(stationarity_chains({}).empty());
}

// Every order costs at least some chain's price, and every chain's price is attained by an order.
TEST(Stationarity, ChainsPriceTheBestOrder) {
    const std::vector<double> weights{1.0, 2.5, 0.7};
    const std::vector<double> size{0.0, 1.0, 1.3, 0.4, 2.2, 0.9, 1.7, 0.3};  // log2 of a loop, by relevance
    for (std::uint32_t set = 1; set < 256; ++set) {
        std::vector<std::uint32_t> loops;
        for (std::uint32_t relevance = 1; relevance < 8; ++relevance)
            if ((set >> relevance & 1U) != 0) loops.push_back(relevance);
        if (loops.empty()) continue;
        std::uint32_t moved = 0;
        for (const std::uint32_t relevance : loops) moved |= relevance;
        double best = INFINITY;
        std::vector<Chain> chains = stationarity_chains(loops);
        if (chains.empty()) chains.emplace_back();
        for (const Chain& chain : chains) {
            double cost = 0.0;
            for (const std::uint32_t relevance : loops)
                cost += size[relevance] * (weight_of(moved, weights) - weight_of(resting(chain, relevance), weights));
            best = std::min(best, cost);
        }
        EXPECT_NEAR(best, cheapest(loops, weights, size), 1e-12) << set;
    }
}

}  // namespace
}  // namespace tilewright::cosa::stationarity_test
