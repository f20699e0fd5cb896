// The mapspace of every rule with remainders.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "fixtures/outer_product.hpp"
#include "mapping/validity.hpp"
#include "mapspace/mapspace.hpp"
#include "workload/shapes.hpp"

namespace tilewright::remainders_test {
namespace {

constexpr std::int64_t kAny = INT64_MAX;

using fixtures::machine;
using fixtures::product;

// Two adjacent loops of one dimension are one.
std::string text(const TilingPoint& point) {
    std::string text;
    for (int l = 0; l < point.level_count(); ++l) {
        text += "S" + std::to_string(point[l].keep.bits()) + " ";
        for (int k = point.dimension_count(); k-- > 0;)
            if (const int d = point[l].order[k]; point[l].temporal[d] > 1)
                text += "T" + std::to_string(d) + "*" + std::to_string(point[l].temporal[d]) + " ";
        for (const auto& [dimension, extent] : layout_key(point[l], point.dimension_count(), true))
            text += "X" + std::to_string(dimension) + "*" + std::to_string(extent) + " ";
    }
    return text;
}

class Remainders : public testing::TestWithParam<FactorRule> {};

TEST_P(Remainders, AreAsManyAsTheChains) {
    const std::int64_t spatial = allows_remainders(GetParam(), true) ? kAny : 1;
    const std::int64_t temporal = allows_remainders(GetParam(), false) ? kAny : 1;
    const ChainSpace chains(11, {{1, kAny, temporal}, {1, 4, spatial}, {1, kAny, temporal}});
    const Mapspace space(product(11, 1), machine({4, 1}), {}, GetParam());
    std::int64_t visits = 0;
    space.enumerate([&](const TilingPoint&) { return ++visits > 0; });
    EXPECT_EQ(visits, static_cast<std::int64_t>(chains.count()) * 4) << "four ways to keep tensors";
    EXPECT_EQ(space.size().tilings, static_cast<double>(chains.count()));
}

// Spatial factors of all points, each once.
TEST_P(Remainders, SpatialFactorsAreThoseOfSomePoint) {
    const auto spread = [](const TilingPoint& point) { return std::pair(point[0].spatial[0], point[0].spatial[1]); };
    const Mapspace space(product(11, 6), machine({4, 2}), {}, GetParam());
    std::set<std::pair<std::int32_t, std::int32_t>> all, spatial;
    space.enumerate([&](const TilingPoint& point) { return all.insert(spread(point)), true; });
    int visits = 0;
    space.enumerate_spatial([&](const TilingPoint& point) { return ++visits, spatial.insert(spread(point)), true; });
    EXPECT_EQ(visits, static_cast<int>(spatial.size()));
    // 7 neighbours may share 11 only if nothing is left to others: no temporal factor can complete that.
    for (const auto& factors : all) EXPECT_TRUE(spatial.contains(factors)) << factors.first << ", " << factors.second;
}

// A million neighbours: much work before the first visit, and a stop need not wait for it.
TEST_P(Remainders, OfLargeMeshesCanBeStoppedBeforeTheFirst) {
    if (!allows_remainders(GetParam(), true)) return;
    const Mapspace space(product(100'000, 100'000), machine({1024, 1024}), {}, GetParam());
    int visits = 0;
    EXPECT_FALSE(space.enumerate_spatial([&](const TilingPoint&) { return ++visits > 0; }, [] { return true; }));
    EXPECT_EQ(visits, 0);
}

TEST_P(Remainders, AreListedOnceAndDrawnAll) {
    const Einsum layer = product(5, 3);
    const Architecture mesh = machine({3, 2});
    const Mapspace space(layer, mesh, {}, GetParam());
    std::set<std::string> all, drawn;
    int visits = 0;
    space.enumerate([&](const TilingPoint& point) {
        ++visits;
        all.insert(text(point));
        const std::optional<Mapping> mapping = mapping_of(point, layer);
        return space.contains(point) && mapping && check(layer, mesh, *mapping).empty();
    });
    EXPECT_EQ(visits, static_cast<int>(all.size())) << "none twice, all legal";
    Random random(1);
    TilingPoint point = space.point();
    for (int i = 0; i < 200'000; ++i) {
        if (!space.sample(random, point)) continue;
        ASSERT_TRUE(space.contains(point)) << text(point);
        drawn.insert(text(point));
    }
    EXPECT_EQ(drawn, all);
}

// By assignment every point of the space comes once.
TEST_P(Remainders, AssignmentsShareTheSpaceOut) {
    const Mapspace space(product(5, 3), machine({3, 2}), {}, GetParam());
    std::set<std::string> assignments, all, by_assignment;
    int visits = 0;
    space.enumerate([&](const TilingPoint& point) {
        all.insert(text(point));
        std::string name;
        for (int l = 0; l < point.level_count(); ++l) {
            name += std::to_string(point[l].keep.bits());
            for (int d = 0; d < point.dimension_count(); ++d) name += " " + std::to_string(point[l].spatial[d]);
        }
        if (!assignments.insert(name).second) return true;
        return space.of_assignment(point).enumerate([&](const TilingPoint& member) {
            ++visits;
            return by_assignment.insert(text(member)), true;
        });
    });
    EXPECT_GT(assignments.size(), 4U);
    EXPECT_EQ(by_assignment, all);
    EXPECT_EQ(visits, static_cast<int>(all.size()));
}

TEST_P(Remainders, ChangesStayInTheSpace) {
    Constraints constraints;
    constraints.levels.resize(2);
    constraints.levels[0].spatial.factors = std::vector<FactorConstraint>(7);
    constraints.levels[0].spatial.factors[4].at_most = 4;
    const Einsum layer = conv2d(17, 9, 7, 3);
    const Architecture mesh = machine({4, 6});
    const Mapspace space(layer, mesh, constraints, GetParam());
    Random random(3);
    TilingPoint point = space.point();
    int changes = 0;
    for (int i = 0; i < 10'000; ++i) {
        if (i % 50 == 0)
            while (!space.sample(random, point)) continue;
        const TilingPoint before = point;
        const int d = static_cast<int>(random.below(7));
        const int slot = static_cast<int>(random.below(space.slots().size()));
        const bool changed = random.chance(0.8)   ? space.redraw_factors(random, point, d)
                             : random.chance(0.8) ? space.redraw_layout(random, point, 0)
                                                  : space.empty_slot(point, d, slot);
        changes += changed ? 1 : 0;
        if (!changed) {
            ASSERT_EQ(text(point), text(before));
        }
        ASSERT_TRUE(space.contains(point)) << text(point);
        ASSERT_TRUE(check(layer, mesh, mapping_of(point, layer).value()).empty());
    }
    EXPECT_GT(changes, 2'000);
}

bool lies_on_both_axes(const Mapping& mapping, int dimension) {
    int loops = 0;
    for (const Node& node : mapping.nodes)
        if (const Loop* loop = std::get_if<Loop>(&node))
            loops += loop->dimension == dimension && loop->is_spatial() && loop->extent > 1 ? 1 : 0;
    return loops > 1;
}

// Loops of an axis, outermost first: those that divide come last.
void expect_remainders_outside(const Mapping& mapping, LoopKind kind) {
    bool divided = false;
    for (const Node& node : mapping.nodes) {
        const Loop* loop = std::get_if<Loop>(&node);
        if (loop == nullptr || loop->kind != kind || lies_on_both_axes(mapping, loop->dimension)) continue;
        EXPECT_TRUE(loop->is_perfect() || !divided);
        divided = divided || loop->is_perfect();
    }
}

// With a given order; otherwise any order is in the space.
TEST_P(Remainders, AreOutsideTheOtherLoopsOfTheirAxis) {
    const Einsum layer = conv2d(17, 9, 7, 3);
    Constraints constraints;
    constraints.levels.resize(2);
    constraints.levels[0].spatial.inner = {2, 1};
    const Mapspace space(layer, machine({8, 6}), constraints, GetParam());
    Random random(5);
    TilingPoint point = space.point();
    while (!space.sample(random, point)) continue;
    for (int i = 0; i < 2'000; ++i) {
        space.redraw_factors(random, point, static_cast<int>(random.below(7)));
        const Mapping mapping = mapping_of(point, layer).value();
        expect_remainders_outside(mapping, LoopKind::spatial_x);
        expect_remainders_outside(mapping, LoopKind::spatial_y);
    }
}

TEST_P(Remainders, AreOptional) {
    const Einsum layer = conv2d(12, 9, 7, 3);
    const Mapspace space(layer, machine({4, 6}), {}, GetParam());
    const Mapspace even = space.without_remainders();
    EXPECT_FALSE(even.has_remainders());
    EXPECT_EQ(even.size().tilings, Mapspace(layer, machine({4, 6}), {}).size().tilings);
    Random random(5);
    TilingPoint point = even.point();
    for (int i = 0; i < 500; ++i) {
        while (!even.sample(random, point)) continue;
        ASSERT_TRUE(space.contains(point)) << text(point);
        ASSERT_TRUE(is_perfect(mapping_of(point, layer).value()));
    }
}

INSTANTIATE_TEST_SUITE_P(Every, Remainders, testing::Values(FactorRule::ruby, FactorRule::ruby_s, FactorRule::ruby_t),
                         [](const auto& shown) {
                             std::string name(name_of(shown.param));
                             return name.substr(0, 4) + (name.size() > 4 ? name.substr(5) : "");
                         });

TEST(RemaindersOfConstraints, ReplaceTheRule) {
    Constraints constraints;
    constraints.levels.resize(2);
    EXPECT_FALSE(Mapspace(product(11, 1), machine({4, 1}), constraints).has_remainders());
    constraints.levels[0].spatial.remainders = 3;
    const Mapspace space(product(11, 1), machine({4, 1}), constraints);
    EXPECT_TRUE(space.has_remainders());
    const ChainSpace chains(11, {{}, {1, 4, 3}, {}});
    EXPECT_EQ(space.size().tilings, static_cast<double>(chains.count()));
    constraints.levels[0].spatial.remainders = 1;
    EXPECT_FALSE(Mapspace(product(11, 1), machine({4, 1}), constraints, FactorRule::ruby_s).has_remainders());
}

TEST(RemaindersOfConstraints, CannotMakeABoundFit) {
    Constraints constraints;
    constraints.levels.resize(2);
    constraints.levels[0].temporal.factors = {{std::nullopt, 12, std::nullopt}, {}};
    EXPECT_EQ(Mapspace(product(11, 1), machine({4, 1}), constraints, FactorRule::ruby).problem(),
              "the constraints leave no way to factorise M = 11");
}

}  // namespace
}  // namespace tilewright::remainders_test
