// The walk over tilings, keeps and orders against Mapspace::enumerate, which shares no code with it.
#include "mapspace/tilings.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "mapspace/variants.hpp"

namespace tilewright::tilings_test {
namespace {

// O[m,n] += A[m,k] * B[k,n]
Einsum product(std::int64_t m, std::int64_t k, std::int64_t n) {
    Einsum einsum;
    einsum.dimensions = {{"M", m}, {"K", k}, {"N", n}};
    einsum.tensors = {{"A", {Rank{{{0, 1}}}, Rank{{{1, 1}}}}, false},
                      {"B", {Rank{{{1, 1}}}, Rank{{{2, 1}}}}, false},
                      {"O", {Rank{{{0, 1}}}, Rank{{{2, 1}}}}, true}};
    return einsum;
}

Architecture machine(Mesh mesh) {
    Architecture a;
    a.memories.resize(3);
    a.memories[2].mesh = a.compute.mesh = mesh;
    a.memories[2].instances = a.compute.instances = mesh.size();
    return a;
}

// All inputs of operator==.
std::string text(const TilingPoint& point) {
    std::string text;
    for (int l = 0; l < point.level_count(); ++l) {
        const TilingLevel& level = point[l];
        text += "S" + std::to_string(level.keep.bits());
        for (int place = 0; place < point.dimension_count(); ++place) {
            const int d = level.order[place];
            if (level.temporal[d] > 1) text += " T" + std::to_string(d) + "*" + std::to_string(level.temporal[d]);
        }
        visit_spatial_loops(level, point.dimension_count(), [&](const SpatialLoop& loop, std::int32_t extent) {
            text += (loop.along_y ? " Y" : " X") + std::to_string(loop.dimension) + "*" + std::to_string(extent);
        });
        text += "; ";
    }
    return text;
}

struct Listing {
    std::set<std::string> points;
    double visits = 0;
    double counted = 0;
};

Listing walked(const Mapspace& space) {
    Listing listing;
    for (TilingWalk walk(space); walk.next();) {
        TilingPoint point = walk.point();
        listing.counted += KeepWalk::count(space) * OrderWalk::count(space, point);
        KeepWalk keeps(space, point);
        if (!keeps.any()) continue;
        do {
            OrderWalk orders(space, point);
            do {
                EXPECT_TRUE(space.contains(point)) << text(point);
                listing.points.insert(text(point));
                ++listing.visits;
            } while (orders.next());
        } while (keeps.next());
    }
    return listing;
}

void expect_same_as_enumerate(const Mapspace& space) {
    std::set<std::string> expected;
    space.enumerate([&](const TilingPoint& point) { return expected.insert(text(point)).second; });
    const Listing listing = walked(space);
    EXPECT_FALSE(expected.empty()) << space.problem();
    EXPECT_EQ(listing.points, expected);
    EXPECT_EQ(listing.visits, static_cast<double>(expected.size())) << "none twice";
    EXPECT_EQ(listing.counted, listing.visits);
}

// The outermost memory keeps everything; the inner of the others is free to keep any tensor.
Constraints little_choice() {
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[1].must_keep = TensorSet::all(3);
    return constraints;
}

class Tilings : public testing::TestWithParam<FactorRule> {};
INSTANTIATE_TEST_SUITE_P(Rules, Tilings,
                         testing::Values(FactorRule::perfect, FactorRule::ruby, FactorRule::ruby_s,
                                         FactorRule::ruby_t));

TEST_P(Tilings, AreThoseThatEnumerateVisits) {
    expect_same_as_enumerate(Mapspace(product(6, 4, 3), machine({3, 2}), little_choice(), GetParam()));
    expect_same_as_enumerate(Mapspace(product(5, 1, 7), machine({4, 1}), little_choice(), GetParam()));
}

TEST_P(Tilings, ObeyConstraints) {
    Constraints constraints = little_choice();
    constraints.levels[1].temporal.factors.resize(3);
    constraints.levels[1].temporal.factors[0].at_most = 2;
    constraints.levels[0].temporal.inner = {2};
    constraints.levels[1].spatial.inner = {0, 1};
    constraints.levels[1].spatial.split = 1;
    constraints.levels[2].must_keep = TensorSet::from_bits(1);
    constraints.min_parallelism = 0.3;
    expect_same_as_enumerate(Mapspace(product(6, 4, 3), machine({3, 2}), constraints, GetParam()));
}

TEST(Tilings, OfATensorThatMayBeKeptInOnePlaceOnly) {
    Constraints constraints;
    constraints.levels.resize(3);
    constraints.levels[0].must_bypass = TensorSet::all(3);
    constraints.levels[2].must_bypass = TensorSet::from_bits(6);
    const Mapspace space(product(2, 2, 1), machine({2, 1}), constraints);
    EXPECT_EQ(KeepWalk::count(space), 3.0) << "tensor 0 at either memory or both, the others at the middle one";
    expect_same_as_enumerate(space);
}

TEST(Tilings, StartWithTheSmallestTiles) {
    const Mapspace space(product(6, 4, 3), machine({3, 2}), {});
    TilingWalk walk(space);
    ASSERT_TRUE(walk.next());
    for (int d = 0; d < 3; ++d) {
        EXPECT_EQ(walk.point()[1].temporal[d], 1);
        EXPECT_EQ(walk.point()[2].temporal[d], 1);
        EXPECT_EQ(walk.point()[1].spatial[d], 1);
    }
}

TEST(Tilings, OfAnEmptySpaceAreNone) {
    Constraints constraints = little_choice();
    constraints.levels[1].temporal.factors.resize(3);
    constraints.levels[1].temporal.factors[0].exactly = 5;
    EXPECT_FALSE(TilingWalk(Mapspace(product(6, 4, 3), machine({3, 2}), constraints)).next());
}

}  // namespace
}  // namespace tilewright::tilings_test
