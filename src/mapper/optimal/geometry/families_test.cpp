#include "mapper/optimal/geometry/families.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "workload/shapes.hpp"

namespace tilewright::optimal::families_test {
namespace {

/// A row of 4 columns with so many units with registers each, no store between.
Architecture columns_of_units(std::int64_t rows) {
    Architecture a;
    a.memories.resize(3);
    a.memories[1].spreads_only = true;
    a.memories[1].instances = 4;
    a.memories[1].mesh = {4, 1};
    a.memories[2].instances = a.compute.instances = 4 * rows;
    a.memories[2].mesh = a.compute.mesh = {4, rows};
    return a;
}

using Factors = std::vector<std::int32_t>;

Factors factors_of(const TilingPoint& point) {
    Factors factors;
    for (int l = 0; l < point.level_count(); ++l)
        for (int d = 0; d < point.dimension_count(); ++d) factors.push_back(point[l].spatial[d]);
    return factors;
}

struct Listed {
    std::multiset<Factors> members;
    std::size_t empty = 0;
};

Listed list(const Mapspace& mapspace, const lean::Setup& setup) {
    Listed listed;
    const Families families(mapspace, setup, [] { return false; });
    EXPECT_TRUE(families.are_all());
    for (std::size_t f = 0; f < families.count(); ++f) {
        const std::vector<TilingPoint> members = families.members(f);
        EXPECT_EQ(families.has_members(f), !members.empty());
        listed.empty += members.empty() ? 1 : 0;
        for (const TilingPoint& member : members) {
            listed.members.insert(factors_of(member));
            for (int d = 0; d < mapspace.dimension_count(); ++d)  // the factors at all fan-outs are those combined
                EXPECT_EQ(member[0].spatial[d] * member[1].spatial[d], families.combined(f)[1].spatial[d]);
        }
    }
    return listed;
}

std::multiset<Factors> enumerated(const Mapspace& mapspace) {
    std::multiset<Factors> all;
    mapspace.enumerate_spatial([&](const TilingPoint& point) {
        all.insert(factors_of(point));
        return true;
    });
    return all;
}

TEST(Families, HaveEveryChoiceOfSpatialFactorsOnce) {
    const Architecture machine = columns_of_units(6);
    for (const Einsum& einsum : {gemm(12, 8, 6), gemm(7, 35, 10), gemm(1, 1, 24)}) {
        const Mapspace mapspace(einsum, machine, {});
        const lean::Setup setup(einsum, machine);
        EXPECT_EQ(list(mapspace, setup).members, enumerated(mapspace));
    }
}

TEST(Families, KeepToConstraints) {
    const Architecture machine = columns_of_units(6);
    const Einsum einsum = gemm(12, 8, 6);
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[0].spatial.factors.resize(einsum.dimensions.size());
    for (int d = 0; d < einsum.dimension_count(); ++d)
        if (einsum.dimensions[d].extent == 12) constraints.levels[0].spatial.factors[d].exactly = 4;
    const Mapspace mapspace(einsum, machine, constraints);
    const lean::Setup setup(einsum, machine);
    const Listed listed = list(mapspace, setup);
    EXPECT_EQ(listed.members, enumerated(mapspace));
    EXPECT_FALSE(listed.members.empty());
}

// 3 x 3 x 2 units are fewer than 4 x 5, but neither 6 units fit a column nor 6 columns the row.
TEST(Families, MayBeEmpty) {
    const Architecture machine = columns_of_units(5);
    const Einsum einsum = gemm(3, 3, 2);
    const Mapspace mapspace(einsum, machine, {});
    EXPECT_GT(list(mapspace, lean::Setup(einsum, machine)).empty, 0U);
}

TEST(Families, AreNotAllWhenStopped) {
    const Architecture machine = columns_of_units(6);
    const Einsum einsum = gemm(12, 8, 6);
    const Mapspace mapspace(einsum, machine, {});
    const lean::Setup setup(einsum, machine);
    int asked = 0;
    const Families families(mapspace, setup, [&asked] { return ++asked == 3; });
    EXPECT_FALSE(families.are_all());
    EXPECT_EQ(families.count(), 3U);
}

/// A DRAM over a square of units with wires priced per hop.
Architecture square_of_units(std::int64_t side) {
    Architecture a;
    a.memories.resize(2);
    a.memories[0].link.energy_per_hop_pj = 0.1;
    a.memories[1].instances = a.compute.instances = side * side;
    a.memories[1].mesh = a.compute.mesh = {side, side};
    return a;
}

// Hundreds of thousands of layouts of a convolution on a square: stop is polled at a fixed number of steps.
TEST(Families, AreSpreadOutUntilAStopOrTheEffortIsOver) {
    const Architecture machine = square_of_units(64);
    const Einsum einsum = conv2d(8, 8, 8, 2, 1, 4);
    const Mapspace mapspace(einsum, machine, {});
    const lean::Setup setup(einsum, machine);
    const Families families(mapspace, setup, [] { return false; });
    lean::LinkCache links;
    std::int64_t most = 0;
    std::size_t widest = 0;
    for (std::size_t f = 0; f < families.count(); f += 7) {
        Effort effort(20'000, [] { return false; });
        const Spread spread = spread_of(mapspace, setup, families, f, true, links, effort);
        EXPECT_FALSE(spread.all && effort.is_over()) << "what is cut short is not all";
        if (effort.spent() <= most) continue;
        most = effort.spent();
        widest = f;
    }
    ASSERT_GT(most, 20'000) << "some families have more layouts than that";
    int asked = 0;
    Effort effort(1'000'000'000, [&asked] { return ++asked == 3; });
    const Spread spread = spread_of(mapspace, setup, families, widest, true, links, effort);
    EXPECT_FALSE(spread.all);
    EXPECT_EQ(asked, 3) << "and then no more";
    EXPECT_LT(effort.spent(), 30'000) << "4,096 steps from question to question";
}

}  // namespace
}  // namespace tilewright::optimal::families_test
