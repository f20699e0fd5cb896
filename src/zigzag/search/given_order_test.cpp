#include "zigzag/search/given_order.hpp"

#include <gtest/gtest.h>

#include "fixtures/zigzag_sample.hpp"

namespace tilewright::zigzag::given_order_test {
namespace {

using namespace sample;

TEST(GivenOrder, SizesUseUpPrimeFactors) {
    const std::vector<TemporalLoop> factors{{K, 2}, {K, 2}, {K, 3}, {C, 2}, {C, 5}};
    EXPECT_EQ(free_factors(factors, {{{K, 6}}, {{C, 5}}}), (std::vector<TemporalLoop>{{K, 2}, {C, 2}}));
    EXPECT_EQ(free_factors(factors, {{{K, {}}}, {}}), factors) << "which one is open";
    EXPECT_TRUE(free_factors(factors, {{{K, 12}, {C, 10}}, {}}).empty());
}

TEST(GivenOrder, ALoopWithoutSizeIsEveryFactorOnce) {
    const std::vector<PlacedLoops> all = placements({{K, 2}, {K, 2}, {K, 3}, {C, 2}}, {{{K, {}}}, {{C, 7}, {K, {}}}});
    EXPECT_EQ(all, (std::vector<PlacedLoops>{{{{K, 2}}, {{K, 3}, {C, 2}}, {{C, 7}, {K, 2}}},
                                             {{{K, 2}}, {{K, 2}, {C, 2}}, {{C, 7}, {K, 3}}},
                                             {{{K, 3}}, {{K, 2}, {C, 2}}, {{C, 7}, {K, 2}}}}));
    EXPECT_TRUE(placements({{K, 2}}, {{{K, {}}, {K, {}}}, {}}).empty());
    EXPECT_EQ(placements({{K, 2}}, {}), (std::vector<PlacedLoops>{{{}, {{K, 2}}, {}}}));
}

TEST(GivenOrder, ALoopOfOneIterationIsNoneBesideOthers) {
    EXPECT_EQ((PlacedLoops{{}, {{0, 1}}, {}}).all(), (std::vector<TemporalLoop>{{0, 1}}));
    EXPECT_EQ((PlacedLoops{{{K, 2}}, {{0, 1}}, {{C, 3}}}).all(), (std::vector<TemporalLoop>{{K, 2}, {C, 3}}));
}

}  // namespace
}  // namespace tilewright::zigzag::given_order_test
