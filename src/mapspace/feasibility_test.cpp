#include "mapspace/feasibility.hpp"

#include <gtest/gtest.h>

#include "base/numbers/random.hpp"
#include "mapping/validity.hpp"
#include "workload/shapes.hpp"

namespace tilewright::feasibility_test {
namespace {

Einsum window(Random& random) {
    const std::array<std::int64_t, 5> extents{1, 2, 3, 4, 6};
    const auto extent = [&] { return extents[random.below(extents.size())]; };
    Einsum einsum;
    einsum.dimensions = {{"P", extent()}, {"R", extent()}, {"K", extent()}};
    einsum.tensors = {{"W", {{{{1, 1}}}, {{{2, 1}}}}, false},
                      {"I", {{{{0, 1}, {1, 1}}}}, false},
                      {"O", {{{{0, 1}}}, {{{2, 1}}}}, true}};
    return einsum;
}

// DRAM, a mesh of buffers, a register in front of every multiplier; small enough that many layers do not fit.
Architecture small_machine(Random& random) {
    const auto words = [&] { return static_cast<std::int64_t>(1 + random.below(9)); };
    Architecture a;
    a.memories.resize(3);
    a.memories[0].name = "DRAM";
    a.memories[1].name = "Buffer";
    a.memories[2].name = "Register";
    const Mesh mesh{static_cast<std::int64_t>(1 + random.below(3)), static_cast<std::int64_t>(1 + random.below(3))};
    a.memories[1].capacity_words = words() + words();
    a.memories[2].capacity_words = words();
    a.memories[2].mesh = a.compute.mesh = mesh;
    a.memories[2].instances = a.compute.instances = mesh.size();
    return a;
}

void demand_factor(Random& random, FactorConstraint& factor) {
    const std::array<std::int64_t, 4> factors{1, 2, 3, 4};
    const std::int64_t value = factors[random.below(factors.size())];
    switch (random.below(8)) {
        case 0: factor.exactly = value; break;
        case 1: factor.at_least = value; break;
        case 2: factor.at_most = value; break;
        default: break;
    }
}

Constraints some_constraints(Random& random) {
    Constraints constraints;
    constraints.levels.resize(3);
    for (LevelConstraint& level : constraints.levels) {
        level.temporal.factors.resize(3);
        level.spatial.factors.resize(3);
        for (FactorConstraint& factor : level.temporal.factors) demand_factor(random, factor);
        for (int t = 0; t < 3; ++t) {
            const std::uint64_t choice = random.below(6);
            if (choice == 0) level.must_keep.add(t);
            if (choice == 1) level.must_bypass.add(t);
        }
    }
    LoopConstraint& spread = constraints.levels[1].spatial;
    for (FactorConstraint& factor : spread.factors) demand_factor(random, factor);
    if (random.below(3) == 0) {
        spread.inner = {2, 0, 1};
        spread.split = static_cast<int>(random.below(4));
    }
    if (random.below(4) == 0) constraints.min_parallelism = 0.5;
    return constraints;
}

bool some_mapping_is_legal(const Einsum& einsum, const Architecture& architecture, const Mapspace& mapspace) {
    if (!mapspace.problem().empty()) return false;
    bool found = false;
    mapspace.enumerate([&](const TilingPoint& point) {
        found = mapspace.parallel_enough(point) && check(einsum, architecture, mapping_of(point)).empty();
        return !found;
    });
    return found;
}

TEST(Feasibility, IsWhatAnEnumerationFinds) {
    Random random(23);
    int feasible = 0;
    int infeasible = 0;
    for (int problem = 0; problem < 1500; ++problem) {
        const Einsum einsum = window(random);
        const Architecture architecture = small_machine(random);
        const Constraints constraints = some_constraints(random);
        const Mapspace mapspace(einsum, architecture, constraints);
        const bool expected = some_mapping_is_legal(einsum, architecture, mapspace);
        ASSERT_EQ(feasibility(einsum, architecture, mapspace),
                  expected ? Feasibility::feasible : Feasibility::infeasible)
            << "problem " << problem;
        ++(expected ? feasible : infeasible);
    }
    EXPECT_GE(feasible, 300);
    EXPECT_GE(infeasible, 1000);
}

TEST(Feasibility, WhatIsNotAskedForDoesNotBind) {
    Random random(1);
    Architecture architecture = small_machine(random);
    architecture.memories[2].capacity_words = 2;
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[2].must_keep = TensorSet::all(3);
    const Einsum einsum = window(random);
    const Mapspace mapspace(einsum, architecture, constraints);
    EXPECT_EQ(feasibility(einsum, architecture, mapspace), Feasibility::infeasible)
        << "three words in a register of two";
    EXPECT_EQ(feasibility(einsum, architecture, mapspace, {{false, false, true}, {}}), Feasibility::feasible);
}

TEST(Feasibility, IsNotDecidedWhereFactorsMayLeaveRemainders) {
    Random random(2);
    const Einsum einsum = window(random);
    const Architecture architecture = small_machine(random);
    const Mapspace mapspace(einsum, architecture, {}, FactorRule::ruby);
    EXPECT_EQ(feasibility(einsum, architecture, mapspace), Feasibility::undecided);
}

}  // namespace
}  // namespace tilewright::feasibility_test
