#include "mapspace/mapspace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "fixtures/product.hpp"
#include "mapping/validity.hpp"
#include "workload/shapes.hpp"

namespace tilewright::mapspace_test {
namespace {

// DRAM over a mesh of buffers, each with one multiplier.
Architecture machine(Mesh mesh) {
    Architecture a;
    a.memories.resize(2);
    a.memories[0].name = "DRAM";
    a.memories[1].name = "Buffer";
    a.memories[1].mesh = mesh;
    a.memories[1].instances = mesh.size();
    a.compute.mesh = mesh;
    a.compute.instances = mesh.size();
    return a;
}

Constraints two_levels() {
    Constraints constraints;
    constraints.levels.resize(2);
    return constraints;
}

FactorConstraint exactly(std::int64_t factor) { return {factor, 1, std::nullopt}; }

// The nest as text; equal points have equal texts.
std::string text(const TilingPoint& point) {
    std::string text;
    for (const Node& node : mapping_of(point).nodes) {
        if (const Store* store = std::get_if<Store>(&node)) {
            text += "S" + std::to_string(store->tensors.bits()) + " ";
        } else {
            const Loop& loop = std::get<Loop>(node);
            text += "TXY"[static_cast<int>(loop.kind)] + std::to_string(loop.dimension) + "*" +
                    std::to_string(loop.extent) + " ";
        }
    }
    return text;
}

std::set<std::string> all_of(const Mapspace& space) {
    std::set<std::string> all;
    std::size_t visits = 0;
    space.enumerate([&](const TilingPoint& point) {
        ++visits;
        all.insert(text(point));
        return space.contains(point);
    });
    EXPECT_EQ(visits, all.size()) << "no point twice, every point in the space";
    return all;
}

TEST(Mapspace, SizeCountsChoicesOfEachKind) {
    const MapspaceSize size = Mapspace(fixtures::matrix_product(4, 2, 3), machine({2, 2}), {}).size();
    // Three slots: DRAM's temporal and spatial loops, Buffer's temporal loops.
    EXPECT_EQ(size.tilings, 6 * 3 * 3);
    EXPECT_EQ(size.orders, 6 * 6);
    EXPECT_EQ(size.axes, 27) << "X, Y or both, of three dimensions";
    EXPECT_EQ(size.bypasses, 8) << "the outermost memory keeps everything";
}

TEST(Mapspace, EnumeratesEveryMappingOnce) {
    // M = 2 goes to DRAM, to X, or to the buffer; B may or may not be kept, and so on for A and O.
    EXPECT_EQ(all_of(Mapspace(fixtures::matrix_product(2, 1, 1), machine({2, 1}), {})).size(), 3 * 8);
    // M = N = 2: nine tilings, less the one that needs four instances, and with two orders where both loops are
    // together.
    EXPECT_EQ(all_of(Mapspace(fixtures::matrix_product(2, 2, 1), machine({2, 1}), {})).size(), (8 + 2) * 8);
    // Along both axes there is room for both loops. Without wires their axes do not matter.
    EXPECT_EQ(all_of(Mapspace(fixtures::matrix_product(2, 2, 1), machine({2, 2}), {})).size(), (8 + 2 + 1) * 8);
    // A dimension may lie along both: M = 4 goes to three slots in 6 ways, all fitting on 2 x 2.
    EXPECT_EQ(all_of(Mapspace(fixtures::matrix_product(4, 1, 1), machine({2, 2}), {})).size(), 6 * 8);
}

TEST(Mapspace, DrawsEveryMappingOfASmallSpace) {
    const Mapspace space(fixtures::matrix_product(4, 2, 1), machine({2, 2}), {});
    const std::set<std::string> all = all_of(space);
    std::set<std::string> drawn;
    Random random(1);
    TilingPoint point = space.point();
    for (int i = 0; i < 100'000; ++i)
        if (space.sample(random, point)) {
            ASSERT_TRUE(space.contains(point)) << text(point);
            drawn.insert(text(point));
        }
    EXPECT_EQ(drawn, all);
}

// Pearson's statistic, in standard deviations above its mean. (With spread loops, spatial factors come first.)
TEST(Mapspace, DrawsEveryTilingEquallyOftenWhereNothingIsSpread) {
    for (const FactorRule rule : {FactorRule::perfect, FactorRule::ruby, FactorRule::ruby_t}) {
        const Mapspace space(fixtures::matrix_product(6, 4, 1), machine({1, 1}), {}, rule);
        const auto tilings = static_cast<int>(space.size().tilings);
        const int draws = 200 * tilings;
        std::map<std::string, int> seen;
        Random random(3);
        TilingPoint point = space.point();
        for (int i = 0; i < draws; ++i) {
            ASSERT_TRUE(space.sample(random, point));
            std::string factors;
            for (int l = 0; l < space.level_count(); ++l)
                for (int d = 0; d < space.dimension_count(); ++d) factors += std::to_string(point[l].temporal[d]) + " ";
            ++seen[factors];
        }
        EXPECT_EQ(seen.size(), tilings);
        double statistic = 0.0;
        for (const auto& [factors, times] : seen) statistic += (times - 200.0) * (times - 200.0) / 200.0;
        const double freedom = tilings - 1.0;
        EXPECT_LT(std::abs(statistic - freedom) / std::sqrt(2.0 * freedom), 4.0) << name_of(rule);
    }
}

TEST(Mapspace, HonoursFactorBounds) {
    Constraints constraints = two_levels();
    constraints.levels[0].temporal.factors = {exactly(2), {}, {}};
    constraints.levels[0].spatial.factors = {{}, FactorConstraint{std::nullopt, 2, 2}, exactly(1)};
    constraints.levels[1].must_keep = TensorSet::all(3);
    const std::set<std::string> all = all_of(Mapspace(fixtures::matrix_product(4, 4, 1), machine({4, 1}), constraints));
    // M: 2 in DRAM, the other 2 spread or in the buffer; N: 2 spread, the other in DRAM or in the buffer; two orders if
    // loops of both are together: in DRAM if N is there, in the buffer if both are.
    EXPECT_EQ(all.size(), 2U * 2 + 2 + 1);
    for (const std::string& mapping : all) EXPECT_NE(mapping.find("X1*2"), std::string::npos) << mapping;
}

TEST(Mapspace, HonoursOrders) {
    Constraints constraints = two_levels();
    constraints.levels[0].temporal.inner = {2};
    constraints.levels[0].temporal.outer = {0};
    constraints.levels[1].temporal.factors = {exactly(1), exactly(1), exactly(1)};
    constraints.levels[1].must_bypass = TensorSet::all(3);
    EXPECT_EQ(all_of(Mapspace(fixtures::matrix_product(2, 3, 5), machine({1, 1}), constraints)),
              std::set<std::string>{"S7 T0*2 T1*3 T2*5 S0 "});
}

TEST(Mapspace, TheSplitSendsDimensionsToAxes) {
    Constraints constraints = two_levels();
    constraints.levels[0].spatial.inner = {1, 0, 2};
    constraints.levels[0].spatial.split = 1;
    constraints.levels[0].temporal.factors = {exactly(1), exactly(1), exactly(1)};
    constraints.levels[1].temporal.factors = constraints.levels[0].temporal.factors;
    constraints.levels[1].must_keep = TensorSet::all(3);
    EXPECT_EQ(all_of(Mapspace(fixtures::matrix_product(2, 2, 1), machine({2, 2}), constraints)),
              std::set<std::string>{"S7 Y0*2 X1*2 S7 "});
}

// With wire energy the neighbours' places matter: every order of the loops is a mapping of its own.
TEST(Mapspace, HasEveryOrderOfSpatialLoopsWhereWiresCost) {
    Constraints constraints = two_levels();
    for (LevelConstraint& level : constraints.levels) level.temporal.factors = {exactly(1), exactly(1), exactly(1)};
    constraints.levels[1].must_keep = TensorSet::all(3);
    Architecture wired = machine({4, 1});
    wired.memories[0].link.energy_per_hop_pj = 1.0;
    EXPECT_EQ(all_of(Mapspace(fixtures::matrix_product(2, 2, 1), wired, constraints)),
              (std::set<std::string>{"S7 X1*2 X0*2 S7 ", "S7 X0*2 X1*2 S7 "}));
    // On 2 x 2 the orders M M' N, M N M' and N M M' of M = 2, N = 2 and M' = 2 would be three, but here M = 4 alone
    // lies along both axes: one order, for any inner loop.
    Architecture square = machine({2, 2});
    square.memories[0].link.energy_per_hop_pj = 1.0;
    EXPECT_EQ(all_of(Mapspace(fixtures::matrix_product(4, 1, 1), square, constraints)).size(), 1);
    Architecture tall = machine({4, 2});
    tall.memories[0].link.energy_per_hop_pj = 1.0;
    // M = 4 along X and N = 2 along Y in two orders, and N between the two loops of M, one along each axis.
    EXPECT_EQ(all_of(Mapspace(fixtures::matrix_product(4, 2, 1), tall, constraints)).size(), 3);
}

TEST(Mapspace, ConstraintsGiveTheOrderOfSpatialLoops) {
    Constraints constraints = two_levels();
    for (LevelConstraint& level : constraints.levels) level.temporal.factors = {exactly(1), exactly(1), exactly(1)};
    constraints.levels[0].spatial.inner = {1, 0, 2};
    constraints.levels[1].must_keep = TensorSet::all(3);
    Architecture wired = machine({4, 1});
    wired.memories[0].link.energy_per_hop_pj = 1.0;
    EXPECT_EQ(all_of(Mapspace(fixtures::matrix_product(2, 2, 1), wired, constraints)),
              std::set<std::string>{"S7 X0*2 X1*2 S7 "});
}

TEST(Mapspace, MinimumParallelismLeavesOutIdleMachines) {
    Constraints constraints = two_levels();
    constraints.min_parallelism = 0.6;
    for (const std::string& mapping : all_of(Mapspace(fixtures::matrix_product(8, 1, 1), machine({4, 1}), constraints)))
        EXPECT_NE(mapping.find("X0*4"), std::string::npos) << mapping;
}

TEST(Mapspace, SaysWhyItIsEmpty) {
    Constraints constraints = two_levels();
    constraints.levels[0].temporal.factors = {exactly(3), {}, {}};
    const Mapspace space(fixtures::matrix_product(4, 4, 1), machine({1, 1}), constraints);
    EXPECT_EQ(space.problem(), "the constraints leave no way to factorise M = 4");
    Random random(1);
    TilingPoint point = space.point();
    EXPECT_FALSE(space.sample(random, point));

    constraints = two_levels();
    constraints.levels[0].must_bypass = constraints.levels[1].must_bypass = TensorSet::of(1);
    EXPECT_NE(Mapspace(fixtures::matrix_product(4, 4, 1), machine({1, 1}), constraints).problem().find("memory"),
              std::string::npos);
}

TEST(Mapspace, ChangesStayInTheSpace) {
    Constraints constraints = two_levels();
    constraints.levels[0].spatial.factors = std::vector<FactorConstraint>(7);
    constraints.levels[0].spatial.factors[4].at_most = 4;
    const Einsum layer = conv2d(16, 8, 6, 3);
    Architecture mesh = machine({4, 6});
    mesh.memories[0].link.energy_per_hop_pj = 1.0;
    const Mapspace space(layer, mesh, constraints);
    Random random(3);
    TilingPoint point = space.point();
    int changes = 0;
    for (int i = 0; i < 20'000; ++i) {
        if (i % 50 == 0)
            while (!space.sample(random, point)) continue;
        const int d = static_cast<int>(random.below(7));
        const int from = static_cast<int>(random.below(space.slots().size()));
        const int to = static_cast<int>(random.below(space.slots().size()));
        const bool changed = random.chance(0.8)
                                 ? !space.primes(d).empty() && space.move_factor(point, d, space.primes(d)[0], from, to)
                                 : space.redraw_layout(random, point, 0);
        changes += changed ? 1 : 0;
        ASSERT_TRUE(space.contains(point)) << text(point);
        ASSERT_TRUE(check(layer, mesh, mapping_of(point)).empty());
    }
    EXPECT_GT(changes, 2'000);
}

}  // namespace
}  // namespace tilewright::mapspace_test
