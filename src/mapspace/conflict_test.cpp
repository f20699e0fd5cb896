#include "mapspace/feasibility.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/register_product.hpp"

namespace tilewright::conflict_test {
namespace {

using fixtures::register_product;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Conflict, NamesATileThatDoesNotFitAndNothingElse) {
    LayerProblem problem = register_product();
    LevelConstraint& at = problem.constraints.levels[1];
    at.must_keep.add(2);
    at.must_bypass.add(0);
    at.temporal.factors[0].exactly = 32;
    at.temporal.factors[1].at_most = 4;
    EXPECT_THAT(conflict_of(problem), ElementsAre("Register: keep O", "Register: temporal K=32",
                                                  "Register: capacity of 16 words (the others need 32)"));
}

TEST(Conflict, NamesFactorsThatDoNotMultiplyToTheExtent) {
    LayerProblem problem = register_product();
    problem.constraints.levels[0].temporal.factors[1].at_most = 2;
    problem.constraints.levels[1].temporal.factors[1].exactly = 1;
    EXPECT_THAT(conflict_of(problem), ElementsAre("DRAM: temporal C<=2", "Register: temporal C=1"));
}

TEST(Conflict, NamesARuleForTiles) {
    LayerProblem problem = register_product();
    problem.architecture.memories[1].tile["K"] = {.multiple_of = 16, .at_most = 64};
    LevelConstraint& at = problem.constraints.levels[1];
    at.must_keep.add(2);
    at.must_bypass.add(0);
    at.must_bypass.add(1);
    at.temporal.factors[0].at_most = 8;
    EXPECT_THAT(conflict_of(problem), ElementsAre("Register: keep O", "Register: temporal K<=8",
                                                  "Register: a tile with K a multiple of 16, at most 64"));
    at.temporal.factors[0].at_most = 16;
    EXPECT_THAT(conflict_of(problem), IsEmpty());
}

TEST(Conflict, NamesATensorWithoutAMemory) {
    LayerProblem problem = register_product();
    problem.constraints.levels[0].must_bypass.add(1);
    problem.constraints.levels[1].must_bypass.add(1);
    EXPECT_THAT(conflict_of(problem), ElementsAre("DRAM: bypass I", "Register: bypass I"));
}

TEST(Conflict, IsDeniedWhereThereIsAMapping) { EXPECT_THAT(conflict_of(register_product()), IsEmpty()); }

}  // namespace
}  // namespace tilewright::conflict_test
