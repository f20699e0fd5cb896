#include "run/map_layer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/register_product.hpp"

namespace tilewright {
namespace {

using fixtures::register_product;
using testing::HasSubstr;

TEST(Conflict, IsPartOfWhatALayerWithoutMappingIsTold) {
    LayerProblem problem = register_product();
    problem.constraints.levels[1].must_keep.add(2);
    problem.constraints.levels[1].temporal.factors[0].exactly = 32;
    const LayerAnswer answer = map_layer(problem);
    EXPECT_FALSE(answer.mapping.has_value());
    ASSERT_EQ(answer.failures.size(), 5U);
    EXPECT_THAT(answer.failures[1], HasSubstr("exclude each other"));
    EXPECT_EQ(answer.failures[3], "- Register: temporal K=32");
}

TEST(Conflict, IsNotClaimedWhereFactorsMayLeaveRemainders) {
    LayerProblem problem = register_product();
    problem.constraints.levels[1].must_keep.add(2);
    problem.constraints.levels[1].temporal.factors[0].exactly = 32;
    MapOptions options;
    options.factors = FactorRule::ruby;
    options.mapper = MapperKind::exhaustive;
    EXPECT_EQ(map_layer(problem, options).failures.size(), 1U);
}

}  // namespace
}  // namespace tilewright
