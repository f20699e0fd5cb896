#include "mapping/validity.hpp"

#include <gtest/gtest.h>

namespace tilewright::mapping_validity_test {
namespace {

// Z[m] += A[m, k]
Einsum matrix_vector() {
    return {
        "mv", {{"M", 12}, {"K", 10}}, {{"A", {Rank{{{0, 1}}}, Rank{{{1, 1}}}}, false}, {"Z", {Rank{{{0, 1}}}}, true}}};
}

// DRAM -> Buffer of 20 words -> 3 x 2 register files of 4 words -> one unit each
Architecture small_machine() {
    Architecture architecture;
    architecture.memories.resize(3);
    architecture.memories[0].name = "DRAM";
    architecture.memories[1].name = "Buffer";
    architecture.memories[1].capacity_words = 20;
    architecture.memories[2].name = "Registers";
    architecture.memories[2].capacity_words = 4;
    architecture.memories[2].instances = 6;
    architecture.memories[2].mesh = {3, 2};
    architecture.compute.name = "mac";
    architecture.compute.instances = 6;
    architecture.compute.mesh = {3, 2};
    return architecture;
}

Loop temporal(int dimension, std::int64_t extent, std::int64_t remainder = 0) {
    return {dimension, extent, remainder == 0 ? extent : remainder, LoopKind::temporal};
}
Loop along_x(int dimension, std::int64_t extent) { return {dimension, extent, extent, LoopKind::spatial_x}; }
Loop along_y(int dimension, std::int64_t extent) { return {dimension, extent, extent, LoopKind::spatial_y}; }

// A legal mapping; the tests break it.
std::vector<MappingLevel> legal_levels() {
    return {{TensorSet::all(2), {temporal(0, 4), temporal(1, 5)}, {}},
            {TensorSet::all(2), {}, {along_y(1, 2), along_x(0, 3)}},
            {TensorSet::all(2), {}, {}}};
}

std::vector<Violation> violations_of(const std::vector<MappingLevel>& levels,
                                     const Architecture& architecture = small_machine()) {
    return check(matrix_vector(), architecture, mapping_of(levels));
}

TEST(Validity, AcceptsALegalMapping) { EXPECT_TRUE(violations_of(legal_levels()).empty()); }

TEST(Validity, ComparesTheFactorsWithTheExtent) {
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal[1] = temporal(1, 6);
    const std::vector<Violation> violations = violations_of(levels);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].kind, ViolationKind::factor_product);
    EXPECT_EQ(violations[0].level, "");
    EXPECT_EQ(violations[0].message, "the loops of K cover 12, but its extent is 10 (DRAM 6 and Buffer 2)");
}

TEST(Validity, AcceptsRemaindersThatMakeTheExtent) {
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal = {temporal(0, 4), temporal(1, 2)};
    levels[2].temporal = {temporal(1, 3, 1)};  // (2 * 2 - 1) * 3 + 1 = 10
    Architecture architecture = small_machine();
    architecture.memories[1].capacity_words = 21;
    EXPECT_TRUE(violations_of(levels, architecture).empty());
}

TEST(Validity, RefusesASpatialLoopThatNeverRunsInFull) {
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal = {temporal(0, 4)};
    levels[1].spatial = {Loop{1, 2, 1, LoopKind::spatial_y}, along_x(0, 3)};
    levels[2].temporal = {temporal(1, 10)};
    const std::vector<Violation> violations = violations_of(levels);
    ASSERT_FALSE(violations.empty());
    EXPECT_EQ(violations[0].kind, ViolationKind::factor_product);
    EXPECT_NE(violations[0].message.find("K 2,1"), std::string::npos);
}

TEST(Validity, SaysByHowManyWordsAMemoryIsTooSmall) {
    std::vector<MappingLevel> levels = legal_levels();
    levels[1].temporal = {levels[0].temporal[1]};
    levels[0].temporal.pop_back();
    const std::vector<Violation> violations = violations_of(levels);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].kind, ViolationKind::capacity);
    EXPECT_EQ(violations[0].level, "Buffer");
    EXPECT_EQ(violations[0].message, "Buffer holds 33 words, 13 more than its 20: A 30 and Z 3");
}

TEST(Validity, CountsOnlyTheUsableShareOfABufferedMemory) {
    Architecture architecture = small_machine();
    architecture.memories[1].multiple_buffering = 2.5;
    const std::vector<Violation> violations = violations_of(legal_levels(), architecture);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].message,
              "Buffer holds 9 words, 1 more than its 8 usable ones (of 20, buffered 2.5 times): A 6 and Z 3");
}

TEST(Validity, CountsWholeGranulesAndAllBuffersOfATile) {
    Architecture architecture = small_machine();
    architecture.memories[1].alignment_words = 4;
    architecture.memories[1].buffers["A"] = 2;
    EXPECT_TRUE(violations_of(legal_levels(), architecture).empty());  // twice 8 and 4
    architecture.memories[1].reserved_words = 1;
    const std::vector<Violation> violations = violations_of(legal_levels(), architecture);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(
        violations[0].message,
        "Buffer holds 20 words, 1 more than its 19 usable ones (of 20, 1 reserved): A 6 in a room of 16 and Z 3 in a "
        "room of 4");
}

TEST(Validity, NamesATileAgainstTheRuleOfItsMemory) {
    Architecture architecture = small_machine();
    architecture.memories[1].tile["M"] = {.multiple_of = 3, .at_most = 3};
    architecture.memories[1].tile["K"].multiple_of = 4;
    const std::vector<Violation> violations = violations_of(legal_levels(), architecture);
    ASSERT_EQ(violations.size(), 1U);  // Z does not use K
    EXPECT_EQ(violations[0].kind, ViolationKind::tile);
    EXPECT_EQ(violations[0].message, "Buffer holds a tile of A with K = 2; its rule asks for a multiple of 4");
}

TEST(Validity, CountsTheLargestTileOfAnImperfectNest) {
    Architecture architecture = small_machine();
    architecture.memories[1].capacity_words = 33;
    architecture.memories[2].capacity_words = 10;
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal = {temporal(0, 4)};
    levels[2].temporal = {temporal(1, 9, 1)};                  // two units share K: one gets nine, the other one
    EXPECT_TRUE(violations_of(levels, architecture).empty());  // A 9 and Z 1
    architecture.memories[2].capacity_words = 9;
    const std::vector<Violation> violations = violations_of(levels, architecture);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].message, "Registers holds 10 words, 1 more than its 9: A 9 and Z 1");
}

TEST(Validity, ChecksTheLeastUtilisation) {
    Architecture architecture = small_machine();
    architecture.memories[1].min_utilization = 0.5;
    const std::vector<Violation> violations = violations_of(legal_levels(), architecture);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].kind, ViolationKind::min_utilization);
    EXPECT_EQ(violations[0].message,
              "Buffer holds 9 words, 1 fewer than the 10 that its least utilisation asks for: A 6 and Z 3");
}

TEST(Validity, NamesTheAxisAndItsLoops) {
    std::vector<MappingLevel> levels = legal_levels();
    levels[1].spatial = {along_y(0, 3), along_x(1, 2)};
    const std::vector<Violation> violations = violations_of(levels);
    ASSERT_EQ(violations.size(), 2U);
    EXPECT_EQ(violations[0].kind, ViolationKind::fanout_y);
    EXPECT_EQ(violations[0].level, "mac") << "the compute array is checked first";
    EXPECT_EQ(violations[0].message,
              "the mapping spreads over 3 instances of mac along Y, whose mesh has 2 (M 3 at Buffer)");
    EXPECT_EQ(violations[1].level, "Registers");
}

TEST(Validity, CountsInstancesBeforeAxes) {
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal = {temporal(0, 4)};
    levels[1].spatial = {along_y(1, 10), along_x(0, 3)};
    const std::vector<Violation> violations = violations_of(levels);
    ASSERT_GE(violations.size(), 2U);
    EXPECT_EQ(violations[0].kind, ViolationKind::instances);
    EXPECT_EQ(violations[0].message, "the mapping spreads over 3 x 10 = 30 units of mac, which has 6");
    EXPECT_EQ(violations[1].kind, ViolationKind::fanout_y);
}

// Two pads with two units each. Four units below one pad are within the total, but not within that pad's.
TEST(Validity, CountsTheNeighboursBelowEachInstance) {
    Architecture architecture = small_machine();
    architecture.memories[2].instances = 2;
    architecture.memories[2].mesh = {2, 1};
    architecture.compute.instances = 4;
    architecture.compute.mesh = {2, 2};
    architecture.memories[2].capacity_words = 100;
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal = {temporal(0, 6), temporal(1, 5)};
    levels[1].spatial = {};
    levels[2].spatial = {along_y(1, 2), along_x(0, 2)};
    const std::vector<Violation> violations = violations_of(levels, architecture);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].kind, ViolationKind::fanout_x);
    EXPECT_EQ(violations[0].level, "Registers");
    EXPECT_EQ(violations[0].message,
              "the mapping spreads over 2 instances of mac along X below one Registers, which has 1 there (M 2)");
    levels[1].spatial = {along_x(0, 2)};
    levels[2].spatial = {along_y(1, 2)};
    EXPECT_TRUE(violations_of(levels, architecture).empty());
}

// Too many along one axis are reported once: a shortage of the whole mesh is one of each instance as well.
TEST(Validity, NamesTheLackOfAnAxisOnce) {
    Architecture architecture = small_machine();
    architecture.memories[2].instances = 3;
    architecture.memories[2].mesh = {3, 1};
    architecture.memories[2].capacity_words = 100;
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal = {temporal(0, 12)};
    levels[1].spatial = {};
    levels[2].spatial = {along_y(1, 10)};
    const std::vector<Violation> violations = violations_of(levels, architecture);
    ASSERT_EQ(violations.size(), 2U);
    EXPECT_EQ(violations[0].kind, ViolationKind::instances);
    EXPECT_EQ(violations[1].kind, ViolationKind::fanout_y);
    EXPECT_EQ(violations[1].level, "mac");
}

TEST(Validity, RefusesSpatialLoopsWithNothingToSpreadOver) {
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal = {temporal(1, 5)};
    levels[0].spatial = {along_x(0, 4)};
    const std::vector<Violation> violations = violations_of(levels);
    ASSERT_FALSE(violations.empty());
    EXPECT_EQ(violations[0].kind, ViolationKind::no_fanout);
    EXPECT_EQ(violations[0].level, "DRAM");
}

TEST(Validity, RefusesATensorThatIsKeptNowhere) {
    std::vector<MappingLevel> levels = legal_levels();
    for (MappingLevel& level : levels) level.keep.remove(1);
    const std::vector<Violation> violations = violations_of(levels);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].kind, ViolationKind::bypass);
    EXPECT_EQ(violations[0].level, "mac");
    EXPECT_EQ(violations[0].message, "tensor 'Z' bypasses every memory");
}

// Nodes: 0 DRAM, 1 and 2 its loops over M and K, 3 Buffer, 4 and 5 its loops over K along Y and M along X, 6 Registers.
TEST(Validity, NamesTheNodeAtFault) {
    const auto first = [](const std::vector<MappingLevel>& levels, const Architecture& architecture = small_machine()) {
        const std::vector<Violation> violations = violations_of(levels, architecture);
        return violations.empty() ? -2 : violations.front().node;
    };
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal[1] = temporal(1, 6);
    EXPECT_EQ(first(levels), 2) << "the outermost loop of K";
    Architecture small = small_machine();
    small.memories[1].capacity_words = 5;
    EXPECT_EQ(first(legal_levels(), small), 3) << "the store of Buffer";
    levels = legal_levels();
    levels[0].temporal[0] = temporal(0, 2);
    levels[1].spatial[1] = along_x(0, 6);
    EXPECT_EQ(first(levels), 5) << "instances: the innermost loop that spreads";
    levels[1].spatial = {along_x(1, 1), along_x(0, 6)};
    levels[0].temporal[1] = temporal(1, 10);
    EXPECT_EQ(first(levels), 5) << "along X";
    levels = legal_levels();
    for (MappingLevel& level : levels) level.keep.remove(1);
    EXPECT_EQ(first(levels), 6) << "the innermost store";
    levels = legal_levels();
    levels[0].temporal = {temporal(1, 5)};
    levels[0].spatial = {along_x(0, 4)};
    EXPECT_EQ(first(levels), 2) << "the loop with nothing to spread over";
}

// 12 x 1 register files are too many already; the loop inside, below the registers, is not to blame for the 24 units.
TEST(Validity, BlamesTheLoopThatFirstSpreadsTooFar) {
    Architecture architecture = small_machine();
    architecture.compute.instances = 12;
    architecture.compute.mesh = {6, 2};
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal = {temporal(1, 5)};
    levels[1].spatial = {along_x(0, 12)};
    levels[2].spatial = {along_x(1, 2)};
    for (const Violation& violation : violations_of(levels, architecture)) {
        if (violation.kind != ViolationKind::instances && violation.kind != ViolationKind::fanout_x) continue;
        EXPECT_EQ(violation.node, 3) << violation.message;
    }
}

// The same loop twice: the node is the one of its level.
TEST(Validity, TellsEqualLoopsApart) {
    Architecture architecture = small_machine();
    architecture.memories[2].instances = 2;
    architecture.memories[2].mesh = {2, 1};
    architecture.memories[2].capacity_words = 100;
    architecture.compute.instances = 2;
    architecture.compute.mesh = {2, 1};
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal = {temporal(0, 3), temporal(1, 10)};
    levels[1].spatial = {along_x(0, 2)};
    levels[2].spatial = {along_x(0, 2)};  // one unit below each
    const std::vector<Violation> violations = violations_of(levels, architecture);
    ASSERT_FALSE(violations.empty());
    EXPECT_EQ(violations.front().kind, ViolationKind::no_fanout);
    EXPECT_EQ(violations.front().node, 6) << "behind the store of Registers, which is 5";
}

TEST(Validity, IgnoresTheCapacityOfWhatOnlySpreads) {
    Architecture architecture = small_machine();
    architecture.memories[1].spreads_only = true;
    architecture.memories[1].capacity_words = 0;
    std::vector<MappingLevel> levels = legal_levels();
    EXPECT_EQ(violations_of(levels, architecture)[0].kind, ViolationKind::capacity) << "it cannot keep tensors";
    levels[1].keep = TensorSet();
    EXPECT_TRUE(violations_of(levels, architecture).empty());
}

TEST(Validity, RefusesWhatIsNoNestOfTheMachine) {
    const auto kind_of = [](const std::vector<Node>& nodes) {
        Mapping mapping;
        mapping.nodes = nodes;
        const std::vector<Violation> violations = check(matrix_vector(), small_machine(), mapping);
        return violations.size() == 1 && violations[0].kind == ViolationKind::nest;
    };
    const Store all{0, TensorSet::all(2)};
    EXPECT_TRUE(kind_of({all}));
    EXPECT_TRUE(kind_of({all, Store{2, TensorSet::all(1)}, Store{1, TensorSet::all(1)}}));
    EXPECT_TRUE(kind_of({all, Store{2, {}}}));
    EXPECT_TRUE(kind_of({temporal(0, 3), all, Store{1, {}}, Store{2, {}}}));
    EXPECT_TRUE(kind_of({all, Store{7, {}}, Store{2, {}}}));
    EXPECT_TRUE(kind_of({Store{0, TensorSet::all(3)}, Store{1, {}}, Store{2, {}}}));
    EXPECT_TRUE(kind_of({all, temporal(2, 3), Store{1, {}}, Store{2, {}}}));
    EXPECT_TRUE(kind_of({all, temporal(-1, 3), Store{1, {}}, Store{2, {}}}));
    EXPECT_TRUE(kind_of({all, temporal(0, 0), Store{1, {}}, Store{2, {}}}));
    EXPECT_TRUE(kind_of({all, temporal(0, 3, 4), Store{1, {}}, Store{2, {}}}));
}

TEST(Validity, SurvivesHugeFactors) {
    std::vector<MappingLevel> levels = legal_levels();
    levels[0].temporal = {temporal(0, 1LL << 60), temporal(1, 1LL << 60), temporal(0, 1LL << 60)};
    levels[1].spatial = {along_y(1, 1LL << 60), along_x(0, 1LL << 60), along_x(1, 1LL << 60)};
    EXPECT_FALSE(violations_of(levels).empty());
}

TEST(Validity, NamesKindsLikeTheGoldenFiles) {
    EXPECT_EQ(violation_kind_name(ViolationKind::min_utilization), "min_utilization");
    EXPECT_EQ(violation_kind_name(ViolationKind::fanout_x), "fanout_x");
}

}  // namespace
}  // namespace tilewright::mapping_validity_test
