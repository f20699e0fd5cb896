// Products whose expectations are worked out by hand, and what is not counted. property_sparse has the judge.
#include "model/sparse/sparse_model.hpp"

#include <gtest/gtest.h>

#include "model/exact/model.hpp"

namespace tilewright::sparse::sparse_model_test {
namespace {

Rank rank(int dimension) { return {{{dimension, 1}}}; }

struct Case {
    Einsum einsum;
    Architecture architecture;
    Mapping mapping;
    Design design;

    ExactResult counted() const { return evaluate(einsum, architecture, mapping, design); }
};

/// Z[m,n] += A[m,k] B[k,n] of 4 x 4 matrices from DRAM through a buffer: DRAM steps K, the buffer M and N. Of A's
/// elements four are not zero, anywhere.
Case product() {
    Case one;
    one.einsum.dimensions = {{"M", 4}, {"N", 4}, {"K", 4}};
    one.einsum.tensors = {
        {"A", {rank(0), rank(2)}, false, 0}, {"B", {rank(2), rank(1)}, false, 0}, {"Z", {rank(0), rank(1)}, true, 0}};
    for (const char* name : {"DRAM", "buffer"}) {
        Memory memory;
        memory.name = name;
        memory.energy.read_pj.value = 10.0;
        memory.energy.fill_pj.value = memory.energy.update_pj.value = 10.0;
        one.architecture.memories.push_back(memory);
    }
    one.architecture.compute.energy_pj.value = 1.0;
    const TensorSet all = TensorSet::all(3);
    one.mapping = mapping_of({{all, {{2, 4, 4, LoopKind::temporal}}, {}},
                              {all, {{0, 4, 4, LoopKind::temporal}, {1, 4, 4, LoopKind::temporal}}, {}}});
    one.design.densities = {UniformRandom{0.25}, FixedStructured{1.0}, FixedStructured{1.0}};
    one.design.memories.resize(2);
    for (MemoryDesign& memory : one.design.memories) {
        memory.formats.resize(3);
        memory.metadata_width_bits = 8;
    }
    return one;
}

constexpr double kNear = 1e-9;

TEST(ExactSparse, WithoutZerosItIsTheDenseCount) {
    Case one = product();
    const Evaluation dense = tilewright::evaluate(one.einsum, one.architecture, one.mapping);
    one.design.densities[0] = FixedStructured{1.0};
    one.design.memories[1].skipping = {{{1, {0}}}};
    one.design.gates_computes = true;
    const ExactResult result = one.counted();
    ASSERT_EQ(result.uncounted, "");
    EXPECT_EQ(result.evaluation.energy_pj, dense.energy_pj);
    EXPECT_EQ(result.evaluation.cycles, dense.cycles);
    EXPECT_EQ(result.expected.computes, (Means{64.0, 0.0, 0.0}));
}

TEST(ExactSparse, AnElementIsReadWhereItsPartnerIsNotZero) {
    Case one = product();
    one.design.memories[1].skipping = {{{1, {0}}}};
    const ExactResult result = one.counted();
    const std::vector<ExpectedTensor>& buffer = result.expected.memories[1];
    EXPECT_NEAR(buffer[1].reads.data.actual, 16.0, kNear);
    EXPECT_NEAR(buffer[1].reads.data.skipped, 48.0, kNear);
    EXPECT_NEAR(buffer[0].reads.data.actual, 64.0, kNear) << "A is read to know";
    EXPECT_NEAR(buffer[2].updates.data.actual, 16.0, kNear) << "what is not computed is not added";
    EXPECT_NEAR(result.expected.computes.actual, 16.0, kNear);
    EXPECT_EQ(result.evaluation.compute_cycles, 16);
}

TEST(ExactSparse, GatingSavesEnergyAndNoTime) {
    Case one = product();
    one.design.memories[1].gating = {{{1, {0}}}};
    const ExactResult result = one.counted();
    EXPECT_NEAR(result.expected.computes.gated, 48.0, kNear);
    EXPECT_NEAR(result.expected.memories[1][2].updates.data.gated, 48.0, kNear);
    EXPECT_EQ(result.evaluation.compute_cycles, 64);
    EXPECT_NEAR(result.evaluation.compute_energy_pj, 16.0, kNear);
}

TEST(ExactSparse, ATileIsSentUnlessAllThatItMeetsIsZero) {
    Case one = product();
    one.design.memories[0].skipping = {{{1, {0}}}};
    const ExactResult result = one.counted();
    // A row of B meets a column of A, four of sixteen elements: all are zero in C(12,4) of C(16,4) cases.
    const double sent = 1.0 - 495.0 / 1820.0;
    EXPECT_NEAR(result.expected.memories[0][1].reads.data.actual, 16.0 * sent, kNear);
    EXPECT_NEAR(result.expected.memories[1][1].fills.data.actual, 16.0 * sent, kNear);
    EXPECT_NEAR(result.expected.memories[1][1].reads.data.actual, 64.0 * sent, kNear);
    EXPECT_NEAR(result.expected.computes.actual, 64.0 * sent, kNear);
}

TEST(ExactSparse, FormatsTakeWhatTheyWrite) {
    Case one = product();
    one.design.memories[0].formats[0] = TensorFormat{{{RankFormat::cp, 2, 4, {}}, {RankFormat::uop, 2, 4, {}}}, false};
    one.design.memories[1].formats[0] = TensorFormat{{{RankFormat::b, 1, 4, {}}}, false};
    const ExactResult result = one.counted();
    const ExpectedTensor& dram = result.expected.memories[0][0];
    EXPECT_NEAR(dram.reads.data.actual, 4.0, kNear);
    // A tile is a column: one rank of coordinates. In DRAM the columns lie behind offsets.
    EXPECT_NEAR(dram.reads.metadata[0].metadata, 4.0, kNear);
    EXPECT_NEAR(dram.held_metadata[1].payload, 5.0, kNear);
    EXPECT_EQ(dram.most_words, 4);
    const ExpectedTensor& buffer = result.expected.memories[1][0];
    EXPECT_NEAR(buffer.fills.data.actual, 4.0, kNear);
    EXPECT_NEAR(buffer.fills.metadata[0].metadata, 16.0 * (1.0 - 495.0 / 1820.0), kNear) << "bits of columns";
}

TEST(ExactSparse, KnownElementsOfTwoTensorsMeetWhereTheyMeet) {
    Case one = product();
    const auto measured = [](std::vector<std::int64_t> places) {
        return Measured{"m", {4, 4}, std::make_shared<const std::vector<std::int64_t>>(std::move(places))};
    };
    one.design.densities[0] = measured({0, 4, 8});     // column 0 of A
    one.design.densities[1] = measured({0, 1, 2, 7});  // three in row 0 of B, one in row 1
    one.design.gates_computes = true;
    EXPECT_NEAR(one.counted().expected.computes.actual, 9.0, kNear);
}

TEST(ExactSparse, CompressedTilesHaveRoomWhereDenseOnesDoNot) {
    Case one = product();
    one.architecture.memories[1].capacity_words = 2 + 4 + 16;
    EXPECT_FALSE(check(one.einsum, one.architecture, one.mapping, one.design).empty());
    for (MemoryDesign& memory : one.design.memories)
        memory.formats[0] = TensorFormat{{{RankFormat::cp, 2, 4, {}}}, false};
    one.design.densities[0] = Pattern{2, 4, 0};
    EXPECT_TRUE(check(one.einsum, one.architecture, one.mapping, one.design).empty());
    one.design.memories[1].metadata_depth = 0;
    EXPECT_FALSE(check(one.einsum, one.architecture, one.mapping, one.design).empty());
}

// Each of A's sixteen elements is read at DRAM once and from the buffer four times, of which four are not zero.
TEST(ExactSparse, WhatIsSavedIsSaidByWhatSavesIt) {
    Case one = product();
    for (MemoryDesign& memory : one.design.memories)
        memory.formats[0] = TensorFormat{{{RankFormat::cp, 2, 4, {}}}, false};
    one.design.memories[1].gating = {{{1, {0}}}};
    one.design.memories[0].metadata.read_pj = 2.0;
    one.design.gated_compute_pj = 0.25;
    const ExactResult result = one.counted();
    ASSERT_EQ(result.uncounted, "");
    const Savings& savings = result.savings;
    const Evaluation dense = tilewright::evaluate(one.einsum, one.architecture, one.mapping);
    EXPECT_EQ(savings.dense_energy_pj, dense.energy_pj);
    EXPECT_EQ(savings.dense_cycles, dense.cycles);
    EXPECT_NEAR(savings.memories[0].left_out_pj, 12.0 * 10.0, kNear) << "A's zeros are not sent";
    EXPECT_EQ(savings.memories[0].gating_pj, 0.0);
    EXPECT_GT(savings.memories[0].metadata_pj, 0.0);
    EXPECT_GT(savings.memories[1].gating_pj, 0.0) << "reads of B that meet a zero";
    EXPECT_EQ(savings.memories[1].skipping_pj, 0.0);
    for (std::size_t m = 0; m < savings.memories.size(); ++m)
        EXPECT_NEAR(savings.memories[m].dense_pj, dense.memories[m].energy_pj, kNear) << "nothing leaks here";
    EXPECT_NEAR(total_of(savings).spent_pj() + dense.energy_pj - total_of(savings).dense_pj - savings.elsewhere_pj,
                result.evaluation.energy_pj, kNear);
}

TEST(ExactSparse, SkippedAndGatedComputesAreSavedApart) {
    Case one = product();
    one.design.memories[1].skipping = {{{1, {0}}}};
    const Saved skipped = one.counted().savings.computes;
    EXPECT_NEAR(skipped.dense_pj, 64.0, kNear);
    EXPECT_NEAR(skipped.left_out_pj + skipped.skipping_pj, 48.0, kNear);
    one.design.memories[1].skipping.clear();
    one.design.gates_computes = true;
    one.design.gated_compute_pj = 0.25;
    const Saved gated = one.counted().savings.computes;
    EXPECT_NEAR(gated.gating_pj, 48.0 * 0.75, kNear);
    EXPECT_NEAR(gated.spent_pj(), 16.0 + 12.0, kNear);
}

TEST(ExactSparse, ADimensionOfOneValueMovesNothing) {
    Case one = product();
    one.design.memories[0].skipping = {{{0, {1}}}};  // tiles of A, where all of B that they meet is zero
    one.design.densities[1] = UniformRandom{0.25};
    const ExactResult plain = one.counted();
    ASSERT_EQ(plain.uncounted, "");
    one.einsum.dimensions.push_back({"one", 1});
    one.einsum.tensors[0].ranks[1].terms.push_back({3, 2});  // A[m, k + 2 one]
    one.einsum.tensors[0].ranks[0].terms.push_back({3, 1});
    const ExactResult same = one.counted();
    ASSERT_EQ(same.uncounted, "");
    EXPECT_EQ(same.evaluation.energy_pj, plain.evaluation.energy_pj);
}

TEST(ExactSparse, WhatItDoesNotCountIsSaid) {
    const auto why = [](auto&& change) {
        Case one = product();
        change(one);
        return one.counted().uncounted;
    };
    EXPECT_EQ(why([](Case&) {}), "");
    EXPECT_NE(why([](Case& one) { one.design.memories[1].spatial_skipping = {{{1, {0}}}}; }), "");
    EXPECT_NE(why([](Case& one) { one.design.memories[1].skipping = {{{1, {1}}}}; }), "");
    EXPECT_NE(
        why([](Case& one) { one.design.memories[1].formats[0] = TensorFormat{{{RankFormat::cp, 2, 4, {}}}, false}; }),
        "")
        << "what arrives is not compressed";
}

}  // namespace
}  // namespace tilewright::sparse::sparse_model_test
