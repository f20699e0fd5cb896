// Each rule of the walk on a nest small enough to count by hand.
#include "oracle/oracle.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace tilewright::oracle::oracle_test {
namespace {

constexpr LoopKind kTime = LoopKind::temporal;
constexpr LoopKind kX = LoopKind::spatial_x;

/// O[p] += W[r] * I[p + r].
Einsum convolution(std::int64_t positions, std::int64_t filter) {
    return {"conv",
            {{"p", positions}, {"r", filter}},
            {{"O", {{{{0}}}}, true}, {"W", {{{{1}}}}, false}, {"I", {{{{0}, {1}}}}, false}}};
}
enum { O, W, I };

Architecture machine(std::int64_t inner_instances = 1) {
    Architecture architecture;
    architecture.memories.resize(2);
    architecture.memories[0].name = "outer";
    architecture.memories[1].name = "inner";
    architecture.memories[1].mesh = {inner_instances, 1};
    architecture.memories[1].instances = inner_instances;
    architecture.compute.mesh = {inner_instances, 1};
    architecture.compute.instances = inner_instances;
    return architecture;
}

const TensorSet kAll = TensorSet::all(3);

Loop perfect(int dimension, std::int64_t extent, LoopKind kind = kTime) { return {dimension, extent, extent, kind}; }

TEST(Oracle, InnermostMemoryIsReadOncePerOperation) {
    const Mapping mapping = mapping_of({{kAll, {}, {}}, {kAll, {perfect(0, 4), perfect(1, 3)}, {}}});
    const Counts counts = walk(convolution(4, 3), machine(), mapping);
    EXPECT_EQ(counts.computes, 12);
    EXPECT_EQ(counts.compute_cycles, 12);
    EXPECT_EQ(counts.memories[1][W].reads, 12);
    EXPECT_EQ(counts.memories[1][W].fills, 3);
    EXPECT_EQ(counts.memories[1][I].fills, 6);
    EXPECT_EQ(counts.memories[1][I].tile_words, 6);
}

TEST(Oracle, ResultsAreWrittenEachTimeAndReadBackAllButTheFirstTime) {
    const Mapping mapping = mapping_of({{kAll, {}, {}}, {kAll, {perfect(0, 4), perfect(1, 3)}, {}}});
    const Counts counts = walk(convolution(4, 3), machine(), mapping);
    EXPECT_EQ(counts.memories[1][O].updates, 12);
    EXPECT_EQ(counts.memories[1][O].reads, 8);
    EXPECT_EQ(counts.memories[1][O].fills, 0);
    EXPECT_EQ(counts.memories[0][O].updates, 4);
    EXPECT_EQ(counts.memories[0][O].reads, 0);
}

TEST(Oracle, EvictedPartialSumsComeBack) {
    const Mapping mapping = mapping_of({{kAll, {perfect(1, 3), perfect(0, 4)}, {}}, {kAll, {}, {}}});
    const Counts counts = walk(convolution(4, 3), machine(), mapping);
    EXPECT_EQ(counts.memories[0][O].updates, 12);
    EXPECT_EQ(counts.memories[0][O].reads, 8);
    EXPECT_EQ(counts.memories[1][O].fills, 8);
}

TEST(Oracle, SlidingWindowReloadsOnlyWhatIsNew) {
    const Mapping mapping = mapping_of({{kAll, {perfect(0, 4)}, {}}, {kAll, {perfect(1, 3)}, {}}});
    const Counts counts = walk(convolution(4, 3), machine(), mapping);
    EXPECT_EQ(counts.memories[1][I].fills, 3 + 1 + 1 + 1);
    EXPECT_EQ(counts.memories[1][W].fills, 3);  // stays
}

TEST(Oracle, TileThatComesAgainCostsNothing) {
    // Windows of two words start at 0 1 2 | 2 3 4.
    const Mapping mapping = mapping_of({{kAll, {perfect(1, 2), perfect(0, 3)}, {}}, {kAll, {perfect(1, 2)}, {}}});
    EXPECT_EQ(walk(convolution(3, 4), machine(), mapping).memories[1][I].fills, 2 + 1 + 1 + 0 + 1 + 1);
}

TEST(Oracle, ChangeOfDirectionReloadsTheWholeTile) {
    // Windows of four words start at 0 1 2 | 1 2 3: the jump back reloads all four, although three of them are there.
    const TensorSet both = TensorSet::all(2);
    const Einsum sum{
        "sum", {{"p", 2}, {"r", 3}, {"q", 4}}, {{"O", {{{{0}}}}, true}, {"I", {{{{0}, {1}, {2}}}}, false}}};
    const Mapping mapping = mapping_of({{both, {perfect(0, 2), perfect(1, 3)}, {}}, {both, {perfect(2, 4)}, {}}});
    EXPECT_EQ(walk(sum, machine(), mapping).memories[1][I - 1].fills, 4 + 1 + 1 + 4 + 1 + 1);
}

TEST(Oracle, SameWordsForSeveralInstancesAreOneAccess) {
    const Mapping mapping = mapping_of({{kAll, {}, {perfect(0, 4, kX)}}, {kAll, {perfect(1, 3)}, {}}});
    const Counts counts = walk(convolution(4, 3), machine(4), mapping);
    EXPECT_EQ(counts.compute_cycles, 3);
    EXPECT_EQ(counts.instances[1], 4);
    EXPECT_EQ(counts.memories[0][W].reads, 3);
    EXPECT_EQ(counts.memories[0][W].link_delivered, 12);
    EXPECT_EQ(counts.memories[1][W].fills, 12);
    EXPECT_EQ(counts.memories[0][I].reads, 12);  // windows overlap but differ: no multicast
}

TEST(Oracle, ResultsOfSeveralInstancesAreReducedOnTheWay) {
    const Mapping mapping = mapping_of({{kAll, {}, {perfect(1, 3, kX)}}, {kAll, {perfect(0, 4)}, {}}});
    const Counts counts = walk(convolution(4, 3), machine(3), mapping);
    EXPECT_EQ(counts.memories[0][O].updates, 4);
    EXPECT_EQ(counts.memories[0][O].link_delivered, 12);
    EXPECT_EQ(counts.memories[1][O].updates, 12);
    EXPECT_EQ(counts.memories[1][O].reads, 0);  // each instance sums elements of its own
}

TEST(Oracle, WordsInGapsNeverArriveAndAreNotReadLess) {
    // O[2p] holds a gap between any two outputs: 7 words, of which 4 arrive three times each.
    Einsum einsum = convolution(4, 3);
    einsum.tensors[O].ranks[0].terms[0].coefficient = 2;
    const Mapping mapping = mapping_of({{kAll, {}, {}}, {kAll, {perfect(0, 4), perfect(1, 3)}, {}}});
    const Counts counts = walk(einsum, machine(), mapping);
    EXPECT_EQ(counts.memories[1][O].tile_words, 7);
    EXPECT_EQ(counts.memories[1][O].updates, 12);
    EXPECT_EQ(counts.memories[1][O].reads, 12 - 4);
    EXPECT_EQ(counts.memories[0][O].updates, 7);  // tiles leave whole
    EXPECT_EQ(counts.memories[0][O].reads, 0);
}

TEST(Oracle, BypassedMemoryPassesItsAccessesOutwards) {
    TensorSet without_weights = kAll;
    without_weights.remove(W);
    const Mapping mapping = mapping_of({{kAll, {}, {}}, {without_weights, {perfect(0, 4), perfect(1, 3)}, {}}});
    const Counts counts = walk(convolution(4, 3), machine(), mapping);
    EXPECT_EQ(counts.memories[0][W].reads, 12);
    EXPECT_FALSE(counts.memories[1][W].kept);
    EXPECT_EQ(counts.memories[1][W].reads, 0);
}

// Three neighbours add to one output, then one does: it rests in both of the two steps.
TEST(Oracle, ABypassedMemoryPassesOnWhatIsAskedInEveryStep) {
    TensorSet without_outputs = kAll;
    without_outputs.remove(O);
    const Mapping mapping =
        mapping_of({{kAll, {perfect(1, 2)}, {{1, 3, 1, LoopKind::spatial_x}}}, {without_outputs, {}, {}}});
    const Counts counts = walk(convolution(1, 4), machine(), mapping);
    EXPECT_EQ(counts.memories[0][O].updates, 2);
    EXPECT_EQ(counts.memories[0][O].reads, 1);
}

TEST(Oracle, OutermostKeptMemoryIsNeverFilled) {
    TensorSet without_weights = kAll;
    without_weights.remove(W);
    const Mapping mapping = mapping_of({{without_weights, {}, {}}, {kAll, {perfect(0, 4), perfect(1, 3)}, {}}});
    const Counts counts = walk(convolution(4, 3), machine(), mapping);
    EXPECT_EQ(counts.memories[1][W].fills, 0);
    EXPECT_EQ(counts.memories[1][W].reads, 12);
}

TEST(Oracle, RemaindersEndEarly) {
    // Seven positions in tiles of three: 3, 3, 1.
    const Mapping mapping = mapping_of({{kAll, {{0, 3, 3, kTime}}, {}}, {kAll, {{0, 3, 1, kTime}, perfect(1, 3)}, {}}});
    const Counts counts = walk(convolution(7, 3), machine(), mapping);
    EXPECT_EQ(counts.computes, 21);
    EXPECT_EQ(counts.compute_cycles, 21);
    EXPECT_EQ(counts.memories[1][O].tile_words, 3);
    // Windows [0, 5) [3, 8) [6, 9): the last one is shorter, so its centre moves by 2 instead of 3, and it is sent
    // whole.
    EXPECT_EQ(counts.memories[1][I].fills, 5 + 3 + 3);
}

TEST(Oracle, BlockLastsAsLongAsItsLongestElement) {
    // Two units; seven positions as 4 + 3.
    const Mapping mapping = mapping_of({{kAll, {}, {{0, 2, 2, kX}}}, {kAll, {{0, 4, 3, kTime}, perfect(1, 3)}, {}}});
    const Counts counts = walk(convolution(7, 3), machine(2), mapping);
    EXPECT_EQ(counts.computes, 21);
    EXPECT_EQ(counts.compute_cycles, 12);
}

TEST(Oracle, RefusesFactorsThatDoNotCover) {
    const Mapping mapping = mapping_of({{kAll, {}, {}}, {kAll, {perfect(0, 4), perfect(1, 2)}, {}}});
    EXPECT_THROW(walk(convolution(4, 3), machine(), mapping), std::invalid_argument);
    EXPECT_THROW(walk(convolution(4, 3), machine(), Mapping{}), std::invalid_argument);
}

}  // namespace
}  // namespace tilewright::oracle::oracle_test
