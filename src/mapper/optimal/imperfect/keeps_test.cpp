#include "mapper/optimal/imperfect/keeps.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures/small_machine.hpp"
#include "mapper/optimal/bounds/bound.hpp"
#include "mapper/optimal/imperfect/charges.hpp"
#include "workload/shapes.hpp"

namespace tilewright::optimal::keeps_test {
namespace {

struct Problem {
    Einsum einsum = gemm(8, 4, 6);
    Architecture architecture = fixtures::nested_memories(3, 100.0, 10.0);
    Mapspace mapspace{einsum, architecture, {}};
    lean::Setup setup{einsum, architecture};
    Keeps keeps{mapspace};
    KeepCosts costs{setup, keeps};
    KeepBounds bounds{costs, mapspace.first_point()};
};

TEST(Keeps, EveryTensorIsKeptSomewhere) {
    const Problem problem;
    for (int t = 0; t < problem.keeps.tensor_count(); ++t) {
        EXPECT_EQ(problem.keeps.choices(t).size(), 4U);
        EXPECT_EQ(std::count(problem.keeps.choices(t).begin(), problem.keeps.choices(t).end(), 0U), 0);
    }
}

TEST(Keeps, EachCombinationComesOnceWithItsOwnBound) {
    const Problem problem;
    int combinations = 0;
    double least_pj = 1e300;
    double least_cycles = 1e300;
    problem.bounds.visit([](double) { return false; },
                         [&](const TilingPoint& point, double energy_pj) {
                             const Charges charges(problem.setup, point);
                             EXPECT_NEAR(energy_pj, compulsory_pj(charges), 1e-9 * energy_pj);
                             least_pj = std::min(least_pj, energy_pj);
                             least_cycles = std::min(least_cycles, compulsory_cycles(charges));
                             ++combinations;
                         });
    EXPECT_EQ(combinations, 4 * 4 * 4);
    EXPECT_NEAR(problem.bounds.least_pj(), least_pj, 1e-9 * least_pj);
    EXPECT_LE(problem.bounds.least_cycles(), least_cycles);
}

TEST(Keeps, WithRemaindersAsWell) {
    const Einsum einsum = gemm(7, 4, 6);
    Architecture architecture = fixtures::nested_memories(3, 100.0, 10.0);
    architecture.compute.instances = 3;
    architecture.compute.mesh = {3, 1};
    const Mapspace mapspace(einsum, architecture, {}, FactorRule::ruby_s);
    const lean::Setup setup(einsum, architecture);
    const Keeps keeps(mapspace);
    TilingPoint spatial = mapspace.first_point();
    spatial[2].spread(0, 3, 1);  // 7 in steps of 3
    const KeepBounds bounds(mapspace, setup, keeps, spatial);
    int combinations = 0;
    bounds.visit([](double) { return false; },
                 [&](const TilingPoint& point, double energy_pj) {
                     const ImperfectCharges charges(mapspace, setup, point, LayoutChoice::any);
                     EXPECT_NEAR(energy_pj, charges.least_pj(), 1e-9 * energy_pj);
                     EXPECT_LE(bounds.least_cycles(), charges.least_cycles());
                     ++combinations;
                 });
    EXPECT_EQ(combinations, 4 * 4 * 4);
}

TEST(Keeps, PrunedCombinationsAreNotVisited) {
    const Problem problem;
    const double limit = 2.0 * problem.bounds.least_pj();
    int all = 0;
    int below = 0;
    int visited = 0;
    problem.bounds.visit([](double) { return false; },
                         [&](const TilingPoint&, double pj) {
                             ++all;
                             below += pj < limit ? 1 : 0;
                         });
    problem.bounds.visit([&](double pj) { return pj >= limit; }, [&](const TilingPoint&, double) { ++visited; });
    EXPECT_EQ(visited, below);
    EXPECT_LT(visited, all);
}

}  // namespace
}  // namespace tilewright::optimal::keeps_test
