#include "mapping/mapping.hpp"

#include <gtest/gtest.h>

#include "base/numbers/random.hpp"

namespace tilewright::mapping_test {
namespace {

Loop temporal(int dimension, std::int64_t extent, std::int64_t remainder) {
    return {dimension, extent, remainder, LoopKind::temporal};
}

Loop spatial(int dimension, std::int64_t extent) { return {dimension, extent, extent, LoopKind::spatial_x}; }

Einsum vector_of(std::int64_t extent) { return {"v", {{"P", extent}}, {{"O", {Rank{{{0, 1}}}}, true}}}; }

// Iterations of the nest of one dimension, by running it.
std::int64_t walk(const std::vector<Loop>& loops, std::size_t depth = 0, bool last = true) {
    if (depth == loops.size()) return 1;
    const std::int64_t trips = last ? loops[depth].remainder : loops[depth].extent;
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < trips; ++i) count += walk(loops, depth + 1, last && i + 1 == trips);
    return count;
}

std::vector<Loop> loops_of(const Mapping& mapping) {
    std::vector<Loop> loops;
    for (const Node& node : mapping.nodes)
        if (const Loop* loop = std::get_if<Loop>(&node)) loops.push_back(*loop);
    return loops;
}

TEST(Mapping, IsEvenWithOneStorePerMemoryAndSpatialLoopsInside) {
    Mapping mapping;
    mapping.nodes = {Store{0, {}}, temporal(0, 2, 2), spatial(0, 3), Store{1, {}}, temporal(0, 4, 4)};
    EXPECT_TRUE(is_even(mapping, 2));
    EXPECT_FALSE(is_even(mapping, 3)) << "a memory is missing";
    EXPECT_FALSE(is_even(mapping, 1)) << "a memory too many";
}

TEST(Mapping, IsNotEvenOtherwise) {
    Mapping loop_outside;
    loop_outside.nodes = {temporal(0, 2, 2), Store{0, {}}};
    EXPECT_FALSE(is_even(loop_outside, 1));

    Mapping wrong_order;
    wrong_order.nodes = {Store{1, {}}, Store{0, {}}};
    EXPECT_FALSE(is_even(wrong_order, 2));

    Mapping temporal_inside_spatial;
    temporal_inside_spatial.nodes = {Store{0, {}}, spatial(0, 3), temporal(0, 2, 2)};
    EXPECT_FALSE(is_even(temporal_inside_spatial, 1));
}

TEST(Mapping, IsMadeOfItsLevels) {
    const std::vector<MappingLevel> levels{{TensorSet::all(2), {temporal(0, 2, 2), temporal(1, 5, 3)}, {spatial(1, 3)}},
                                           {TensorSet::of(1), {}, {}},
                                           {TensorSet(), {temporal(0, 7, 7)}, {spatial(0, 2)}}};
    const Mapping mapping = mapping_of(levels);
    EXPECT_TRUE(is_even(mapping, 3));
    EXPECT_EQ(levels_of(mapping, 3), levels);
}

TEST(Mapping, IsPerfectWhenEveryLoopIs) {
    Mapping mapping;
    mapping.nodes = {Store{0, {}}, temporal(0, 2, 2), temporal(0, 4, 4)};
    EXPECT_TRUE(is_perfect(mapping));
    mapping.nodes.emplace_back(temporal(0, 3, 1));
    EXPECT_FALSE(is_perfect(mapping));
}

TEST(Mapping, RestoresRemaindersThatMakeItFit) {
    Mapping mapping;
    mapping.nodes = {Store{0, {}}, temporal(0, 4, 4), temporal(0, 2, 2)};
    ASSERT_TRUE(restore_remainders(mapping, vector_of(7)));
    EXPECT_EQ(loops_of(mapping), (std::vector<Loop>{temporal(0, 4, 4), temporal(0, 2, 1)}));
}

TEST(Mapping, LeavesItselfAloneWhenNoRemaindersFit) {
    Mapping mapping;
    mapping.nodes = {Store{0, {}}, temporal(0, 8, 8)};
    const Mapping before = mapping;
    EXPECT_FALSE(restore_remainders(mapping, vector_of(7))) << "one loop of 8 cannot run 7 times";
    EXPECT_FALSE(restore_remainders(mapping, vector_of(9))) << "8 are too few for 9";
    EXPECT_EQ(mapping, before);
}

TEST(Mapping, RestoredNestsRunOncePerPoint) {
    Random random(3);
    int restored = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::int64_t extent = random.between(1, 60);
        Mapping mapping;
        mapping.nodes = {Store{0, {}}};
        for (std::int64_t k = random.between(1, 4); k > 0; --k) {
            const std::int64_t factor = random.between(1, 6);
            mapping.nodes.emplace_back(temporal(0, factor, factor));
        }
        if (!restore_remainders(mapping, vector_of(extent))) continue;
        ++restored;
        ASSERT_EQ(walk(loops_of(mapping)), extent);
    }
    EXPECT_GT(restored, 100);
}

}  // namespace
}  // namespace tilewright::mapping_test
