#include "zigzag/accounting/nest.hpp"

#include <gmock/gmock.h>

#include "fixtures/zigzag_sample.hpp"

namespace tilewright::zigzag::loop_factors_test {
namespace {

using namespace sample;
using ::testing::ElementsAre;

SpatialMapping spread(const Layer& layer, std::int64_t units, const ArrayUnrolling& unrolling) {
    return spatial_mapping(array_of(units, 1), layer, unrolling, UnrollRounding::fractional);
}

TEST(LoopFactors, ArePrimeFactorsOfWhatTheArrayLeaves) {
    const Layer layer = convolution({1, 24, 3, 1, 10, 1, 1});
    EXPECT_THAT(temporal_loops(layer, spread(layer, 4, {{{K, 4}}})),
                ElementsAre(TemporalLoop{K, 6}, TemporalLoop{C, 3}, TemporalLoop{OX, 10}));
    EXPECT_THAT(loop_factors(layer, spread(layer, 4, {{{K, 4}}})),
                ElementsAre(TemporalLoop{K, 2}, TemporalLoop{K, 3}, TemporalLoop{C, 3}, TemporalLoop{OX, 2},
                            TemporalLoop{OX, 5}));
}

TEST(LoopFactors, FractionalUnrollingCanCostARoundMore) {
    const Layer layer = convolution({1, 34, 1, 1, 1, 1, 1});
    EXPECT_THAT(temporal_loops(layer, spread(layer, 5, {{{K, 5}}})), ElementsAre(TemporalLoop{K, 8}));  // not 7
}

TEST(LoopFactors, WithoutAnythingToIterateThereIsOneLoopOfOne) {
    const Layer layer = convolution({1, 4, 1, 1, 1, 1, 1});
    EXPECT_THAT(loop_factors(layer, spread(layer, 4, {{{K, 4}}})), ElementsAre(TemporalLoop{B, 1}));
}

TEST(LoopFactors, TheLimitMergesTheTwoSmallestOfTheDimensionWithMost) {
    const std::vector<TemporalLoop> factors{{K, 2}, {K, 2}, {K, 3}, {C, 2}, {C, 5}};
    EXPECT_THAT(limited(factors, 5), ::testing::ElementsAreArray(factors));
    EXPECT_THAT(limited(factors, 4),
                ElementsAre(TemporalLoop{K, 3}, TemporalLoop{K, 4}, TemporalLoop{C, 2}, TemporalLoop{C, 5}));
    EXPECT_THAT(limited(factors, 3), ElementsAre(TemporalLoop{K, 12}, TemporalLoop{C, 2}, TemporalLoop{C, 5}));
    EXPECT_THAT(limited(factors, 0), ElementsAre(TemporalLoop{K, 12}, TemporalLoop{C, 10}));
}

}  // namespace
}  // namespace tilewright::zigzag::loop_factors_test
