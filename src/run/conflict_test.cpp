#include "run/conflict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// O[k] += W[k, c] * I[c] with K = 32 and C = 8 on DRAM and a register of 16 words.
LayerProblem product() {
    LayerProblem problem;
    problem.einsum.dimensions = {{"K", 32}, {"C", 8}};
    problem.einsum.tensors = {
        {"W", {{{{0, 1}}}, {{{1, 1}}}}, false}, {"I", {{{{1, 1}}}}, false}, {"O", {{{{0, 1}}}}, true}};
    problem.architecture.memories.resize(2);
    problem.architecture.memories[0].name = "DRAM";
    problem.architecture.memories[1].name = "Register";
    problem.architecture.memories[1].capacity_words = 16;
    problem.constraints.levels.resize(2);
    for (LevelConstraint& level : problem.constraints.levels) level.temporal.factors.resize(2);
    return problem;
}

TEST(Conflict, NamesATileThatDoesNotFitAndNothingElse) {
    LayerProblem problem = product();
    LevelConstraint& at = problem.constraints.levels[1];
    at.must_keep.add(2);
    at.must_bypass.add(0);
    at.temporal.factors[0].exactly = 32;
    at.temporal.factors[1].at_most = 4;
    EXPECT_THAT(conflict_of(problem), ElementsAre("Register: keep O", "Register: temporal K=32",
                                                  "Register: capacity of 16 words (the others need 32)"));
}

TEST(Conflict, NamesFactorsThatDoNotMultiplyToTheExtent) {
    LayerProblem problem = product();
    problem.constraints.levels[0].temporal.factors[1].at_most = 2;
    problem.constraints.levels[1].temporal.factors[1].exactly = 1;
    EXPECT_THAT(conflict_of(problem), ElementsAre("DRAM: temporal C<=2", "Register: temporal C=1"));
}

TEST(Conflict, NamesATensorWithoutAMemory) {
    LayerProblem problem = product();
    problem.constraints.levels[0].must_bypass.add(1);
    problem.constraints.levels[1].must_bypass.add(1);
    EXPECT_THAT(conflict_of(problem), ElementsAre("DRAM: bypass I", "Register: bypass I"));
}

TEST(Conflict, IsDeniedWhereThereIsAMapping) { EXPECT_THAT(conflict_of(product()), IsEmpty()); }

TEST(Conflict, IsPartOfWhatALayerWithoutMappingIsTold) {
    LayerProblem problem = product();
    problem.constraints.levels[1].must_keep.add(2);
    problem.constraints.levels[1].temporal.factors[0].exactly = 32;
    const LayerAnswer answer = map_layer(problem);
    EXPECT_FALSE(answer.mapping.has_value());
    ASSERT_EQ(answer.failures.size(), 5U);
    EXPECT_THAT(answer.failures[1], HasSubstr("exclude each other"));
    EXPECT_EQ(answer.failures[3], "- Register: temporal K=32");
}

TEST(Conflict, IsNotClaimedWhereFactorsMayLeaveRemainders) {
    LayerProblem problem = product();
    problem.constraints.levels[1].must_keep.add(2);
    problem.constraints.levels[1].temporal.factors[0].exactly = 32;
    MapOptions options;
    options.factors = FactorRule::ruby;
    options.mapper = MapperKind::exhaustive;
    EXPECT_EQ(map_layer(problem, options).failures.size(), 1U);
}

}  // namespace
}  // namespace tilewright
