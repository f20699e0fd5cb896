#include "mapper/optimal/imperfect/spreads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "fixtures/small_machine.hpp"
#include "mapper/optimal/imperfect/charges.hpp"
#include "model/lean/lean.hpp"
#include "workload/shapes.hpp"

namespace tilewright::optimal::spreads_test {
namespace {

/// Four memories able to keep any tensor; the second and the third fan out.
Architecture array() {
    Architecture a = fixtures::nested_memories(4, 64.0, 4.0);
    for (Memory& memory : a.memories) memory.energy.leak_pj_per_cycle.value = 0.5;
    a.memories[2].instances = 3;
    a.memories[2].mesh = {3, 1};
    a.memories[3].instances = 6;
    a.memories[3].mesh = {3, 2};
    a.compute.instances = 6;
    a.compute.mesh = {3, 2};
    return a;
}

struct Problem {
    explicit Problem(Einsum the_einsum) : einsum(std::move(the_einsum)) {}

    Einsum einsum;
    Architecture architecture = array();
    Mapspace mapspace{einsum, architecture, {}, FactorRule::ruby_s};
    lean::Setup setup{einsum, architecture};
    Keeps keeps{mapspace};
    Spreads spreads{mapspace, setup, keeps, [] { return false; }};
};

std::string factors_of(const TilingPoint& point) {
    std::string text;
    for (int l = 0; l < point.level_count(); ++l)
        for (int d = 0; d < point.dimension_count(); ++d) text += std::to_string(point[l].spatial[d]) + " ";
    return text;
}

class Spread : public testing::TestWithParam<Einsum> {};

TEST_P(Spread, AllAreListedOnce) {
    const Problem problem(GetParam());
    std::multiset<std::string> listed;
    EXPECT_TRUE(
        problem.spreads.visit([](const SpreadBound&) { return false; },
                              [&](const TilingPoint& point) { return listed.insert(factors_of(point)), true; }));
    std::multiset<std::string> all;
    problem.mapspace.enumerate_spatial([&](const TilingPoint& point) { return all.insert(factors_of(point)), true; });
    EXPECT_GT(all.size(), 10U);
    EXPECT_EQ(listed, all);
}

TEST_P(Spread, BoundsHoldWhateverIsKept) {
    const Problem problem(GetParam());
    problem.mapspace.enumerate_spatial([&](const TilingPoint& spatial) {
        const SpreadBound bound = problem.spreads.bound_of(spatial);
        const KeepBounds keeps(problem.mapspace, problem.setup, problem.keeps, spatial);
        keeps.visit([](double) { return false; },
                    [&](const TilingPoint& point, double) {
                        const ImperfectCharges charges(problem.mapspace, problem.setup, point, LayoutChoice::any);
                        EXPECT_LE(bound.energy_pj, charges.least_pj() * (1.0 + 1e-9));
                        EXPECT_LE(bound.cycles, charges.least_cycles() * (1.0 + 1e-9));
                        EXPECT_LE(bound.leak_pj_per_cycle, charges.least_leak_pj_per_cycle() * (1.0 + 1e-9));
                    });
        return true;
    });
}

// A partial decision is bounded for all its completions.
TEST_P(Spread, WhatIsLeftOutIsWorse) {
    const Problem problem(GetParam());
    std::vector<double> pj;
    problem.mapspace.enumerate_spatial(
        [&](const TilingPoint& point) { return pj.push_back(problem.spreads.bound_of(point).energy_pj), true; });
    std::ranges::sort(pj);
    for (const std::size_t rank : {pj.size() / 50, pj.size() / 10, pj.size() / 2}) {
        const double limit = pj[rank] * (1.0 + 1e-9);  // room for sums in another order
        int visited = 0;
        problem.spreads.visit([&](const SpreadBound& bound) { return bound.energy_pj > limit; },
                              [&](const TilingPoint&) { return ++visited, true; });
        EXPECT_EQ(visited, std::ranges::count_if(pj, [&](double x) { return x <= limit; }));
    }
}

// Random mappings, good and bad, on wires dearer than the memories.
TEST_P(Spread, NoMappingCostsLessThanItsFactors) {
    Problem problem(GetParam());
    for (Memory& memory : problem.architecture.memories) memory.link.energy_per_hop_pj = 40.0;
    const Mapspace mapspace(problem.einsum, problem.architecture, {}, FactorRule::ruby_s);
    const lean::Setup setup(problem.einsum, problem.architecture);
    const Spreads spreads(mapspace, setup, problem.keeps, [] { return false; });
    const LeanEvaluator evaluator(problem.einsum, problem.architecture);
    Random random(5);
    TilingPoint point = mapspace.point();
    int with_wires = 0;
    double nearest = 0.0;
    for (int i = 0; i < 20'000; ++i) {
        if (!mapspace.sample(random, point)) continue;
        const LeanCost cost = evaluator.evaluate(point);
        if (!cost.valid()) continue;
        const SpreadBound bound = spreads.bound_of(point);
        const double energy_pj = bound.energy_pj + bound.leak_pj_per_cycle * bound.cycles;
        ASSERT_LE(energy_pj, cost.energy_pj * (1.0 + 1e-9)) << factors_of(point);
        ASSERT_LE(bound.cycles, static_cast<double>(cost.cycles)) << factors_of(point);
        with_wires += bound.energy_pj > problem.spreads.bound_of(point).energy_pj * (1.0 + 1e-9) ? 1 : 0;
        nearest = std::max(nearest, energy_pj / cost.energy_pj);
    }
    EXPECT_GT(with_wires, 100);
    EXPECT_GT(nearest, 0.5) << "the bound says something";
}

INSTANTIATE_TEST_SUITE_P(Layers, Spread, testing::Values(gemm(7, 4, 6), gemm(5, 1, 9), conv2d(3, 2, 4, 2)));

}  // namespace
}  // namespace tilewright::optimal::spreads_test
