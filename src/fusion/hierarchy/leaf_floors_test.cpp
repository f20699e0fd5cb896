#include "fusion/hierarchy/leaf_floors.hpp"

#include <gtest/gtest.h>

#include "fixtures/plain_memory.hpp"
#include "fusion/hierarchy/floor_leaves.hpp"
#include "fusion/hierarchy/shared_buffer.hpp"
#include "workload/cascade/text.hpp"

namespace tilewright::fusion::leaf_floors_test {
namespace {

using fixtures::plain_memory;

// DRAM at 100 pJ a word, buffer at 10, a scratchpad at 1 for each of two units; an operation costs 5.
Architecture machine() {
    Architecture machine;
    machine.memories = {plain_memory("DRAM", 100.0, 1), plain_memory("Buffer", 10.0, 1),
                        plain_memory("Scratchpad", 1.0, 2)};
    machine.memories[1].capacity_words = 64;
    machine.memories[2].capacity_words = 8;
    machine.compute.instances = 2;
    machine.compute.mesh = {2, 1};
    machine.compute.energy_pj = {5.0, ""};
    return machine;
}

Cascade product() {
    return parse_cascade("size m=4, n=6, k=3; input A[4,3]; weight B[3,6]; C[m,n] += A[m,k] * B[k,n];", {}, "t", "t");
}

// All three are kept in the scratchpads, which takes each word once through all memories.
Constraints all_kept() {
    Constraints demands;
    demands.levels.resize(3);
    for (int m = 1; m < 3; ++m) demands.levels[m].must_keep = TensorSet::all(3);
    return demands;
}

TEST(LeafFloors, AreWhatOneCountsByHand) {
    const Cascade cascade = product();
    const Architecture architecture = machine();
    const Constraints demands = all_kept();
    const LeafFloors floors(cascade.einsums[0].einsum, architecture, 1, demands);
    // 72 operations; A 12, B 18, C 24 words. DRAM 54 words; buffer: fills and reads of A and B, updates of C;
    // scratchpads: fills of A and B, in every operation two reads and an update, and a read of what is there but for 24
    // x 2 first arrivals at most (two units may share the sum).
    const double dram = 54 * 100.0;
    const double buffer = (30 * 2 + 24) * 10.0;
    const double scratchpads = 30 + 3 * 72 + (72 - 48);
    EXPECT_DOUBLE_EQ(floors.of({{4, 6, 3}, {}, 0}).energy_pj, 72 * 5 + dram + buffer + scratchpads);
    EXPECT_DOUBLE_EQ(floors.of({{4, 6, 3}, {}, 0}).cycles, 36.0);
    // At home in the buffer nothing comes from the DRAM, and nothing is filled.
    const double held = (30 + 24) * 10.0;
    EXPECT_DOUBLE_EQ(floors.of({{4, 6, 3}, TensorSet::all(3), 0}).energy_pj, 72 * 5 + held + scratchpads);
    // Three of five rows leave a unit idle.
    EXPECT_DOUBLE_EQ(floors.of({{3, 1, 3}, {}, 0}).cycles, 9.0);
}

TEST(LeafFloors, TheBufferHoldsNothingThatPassesItBy) {
    const Cascade cascade = product();
    const Architecture architecture = machine();
    Constraints demands = all_kept();
    demands.levels[1].must_keep = {};
    demands.levels[1].must_bypass = TensorSet::of(1);
    const LeafFloors floors(cascade.einsums[0].einsum, architecture, 1, demands);
    EXPECT_TRUE(floors.may_hold(TensorSet::of(0)));
    EXPECT_FALSE(floors.may_hold(TensorSet::of(1)));
    EXPECT_GT(floors.of({{4, 6, 3}, TensorSet::of(1), 0}).energy_pj, 1e50);
}

// What was proven of a leaf with some words raises its front up to these words, and no further.
TEST(FloorLeaves, LearnStepByStep) {
    const Cascade cascade = product();
    const Architecture architecture = machine();
    const std::vector<Constraints> demands{all_kept()};
    FloorLeaves leaves(cascade, architecture, demands, {{false, false, false}});
    const LeafQuestion question{{4, 6, 3}, {}, 0};
    const LeafPoint floor = leaves.floor(0, question);
    leaves.learn(0, question, 64, LeafPoint{0, floor.energy_pj + 10.0, 0.0});
    leaves.learn(0, question, 20, LeafPoint{0, floor.energy_pj + 30.0, 0.0});
    leaves.learn(0, question, 7, std::nullopt);
    const LeafFront& front = leaves.front(0, question);
    ASSERT_EQ(front.size(), 3U);
    EXPECT_EQ(front[0].words, 8);
    EXPECT_DOUBLE_EQ(front[0].energy_pj, floor.energy_pj + 30.0);
    EXPECT_EQ(front[1].words, 21);
    EXPECT_DOUBLE_EQ(front[1].energy_pj, floor.energy_pj + 10.0);
    EXPECT_EQ(front[2].words, 65);
    EXPECT_DOUBLE_EQ(front[2].energy_pj, floor.energy_pj);
    EXPECT_DOUBLE_EQ(leaves.floor(0, question).energy_pj, floor.energy_pj);
}

TEST(SharedBuffer, IsTheOutermostLimitedMemoryOfOneInstance) {
    Architecture architecture = machine();
    EXPECT_EQ(shared_buffer(architecture), 1);
    EXPECT_EQ(problem_with_hierarchy(architecture), "");
    architecture.memories[1].capacity_words.reset();  // where none is limited, one without limit
    EXPECT_EQ(shared_buffer(architecture), 1);
    EXPECT_EQ(problem_with_hierarchy(architecture), "");
    EXPECT_GT(buffer_words(architecture), std::int64_t{1} << 50);
    for (std::size_t m = 1; m < architecture.memories.size(); ++m) architecture.memories[m].instances = 2;
    EXPECT_EQ(shared_buffer(architecture), -1);
    EXPECT_NE(problem_with_hierarchy(architecture), "");
    architecture = machine();
    architecture.memories[0].capacity_words = 1000;
    EXPECT_EQ(problem_with_hierarchy(architecture), "'DRAM', the outermost memory, is limited");
    architecture = machine();
    architecture.memories[1].bandwidth_scale["A"] = 0.5;
    EXPECT_EQ(problem_with_hierarchy(architecture), "'Buffer' has bandwidths by tensor");
}

}  // namespace
}  // namespace tilewright::fusion::leaf_floors_test
