// Timeloop's recorded numbers of a tiled product of two sparse matrices, and malformed files.
#include "timeloop/sparse/sparse_account.hpp"

#include <gtest/gtest.h>

#include "base/notes.hpp"
#include "fixtures/mistake.hpp"
#include "timeloop/files/load.hpp"
#include "timeloop/machine/architecture.hpp"
#include "timeloop/machine/read_over.hpp"
#include "timeloop/mapping/mapping.hpp"
#include "timeloop/problem/problem.hpp"
#include "timeloop/sparse/matrix_file.hpp"
#include "timeloop/sparse/read_sparse.hpp"

namespace tilewright::account::sparse_account_test {
namespace {

using fixtures::mistake_of;

const std::string kProblem = R"(
problem:
  shape:
    name: product
    dimensions: [M, N, K]
    data_spaces:
    - {name: A, projection: [[[M]], [[K]]]}
    - {name: B, projection: [[[N]], [[K]]]}
    - {name: Z, projection: [[[M]], [[N]]], read_write: true}
  instance: {M: 8, N: 8, K: 8, densities: {A: 0.25, B: {distribution: fixed_structured, density: 0.5}}}
)";

const std::string kMachine = R"(
architecture:
  version: 0.4
  nodes:
  - !Component
    name: Backing
    class: SRAM
    attributes: {depth: 512, width: 32, datawidth: 8, technology: 45nm, metadata_storage_depth: 128,
      metadata_storage_width: 4, metadata_datawidth: 4}
    sparse_optimizations:
      representation_format:
        data_spaces:
        - {name: A, ranks: [{format: UOP}, {format: CP}]}
        - {name: B, ranks: [{format: UOP}, {format: UOP}, {format: CP}]}
  - !Component
    name: Buffer
    class: SRAM
    attributes: {depth: 64, width: 8, datawidth: 8, technology: 45nm, metadata_storage_depth: 64,
      metadata_storage_width: 4, metadata_datawidth: 4, read_bandwidth: 5, write_bandwidth: 5}
    sparse_optimizations:
      representation_format:
        data_spaces:
        - {name: B, ranks: [{format: UOP}, {format: CP}]}
        - {name: A, ranks: [{format: UOP}, {format: CP}]}
      action_optimization:
      - {type: skipping, options: [{target: A, condition_on: [B]}]}
      - {type: skipping, options: [{target: B, condition_on: [A]}]}
      - {type: skipping, options: [{target: Z, condition_on: [A, B]}]}
  - !Component {name: mac, class: intmac, attributes: {technology: 45nm}}
)";

const std::string kMapping = R"(
mapping:
- {target: Buffer, type: datatype, keep: [B, Z], bypass: [A]}
- {target: Buffer, type: temporal, factors: M8 N2 K8, permutation: MNK}
- {target: Backing, type: temporal, factors: M1 N4 K1, permutation: NMK}
)";

std::string replaced(std::string text, const std::string& old, const std::string& by) {
    const std::size_t at = text.find(old);
    if (at == std::string::npos) throw std::invalid_argument("'" + old + "' is not there");
    return text.replace(at, old.size(), by);
}

yaml::Node dense(const yaml::Node& root) {
    Notes notes;
    return timeloop::read_over(root, {.strict = true, .dense = true, .quiet = true}, notes);
}

struct Case {
    Einsum einsum;
    Architecture architecture;
    Mapping mapping;
    sparse::Design design;
    LoopOrders orders;
};

Case read(const std::string& text) {
    const yaml::Node root = timeloop::load_text(text, "case.yaml");
    Case one;
    one.einsum = timeloop::read_problem(dense(root));
    one.architecture = timeloop::read_architecture(dense(root));
    one.mapping = timeloop::read_mapping(root, one.einsum, one.architecture);
    one.design = timeloop::read_sparse(root, one.einsum, one.architecture);
    one.orders = timeloop::read_loop_orders(root, one.einsum, one.architecture);
    return one;
}

SparseResult counted(const Case& one) {
    return sparse_timeloop(one.einsum, one.architecture, one.mapping, one.design, one.orders);
}

TEST(SparseTimeloop, ATiledProductHasTheRecordedCounts) {
    const SparseResult result = counted(read(kProblem + kMachine + kMapping));
    ASSERT_FALSE(result.common.refusal) << result.common.refusal->message;
    EXPECT_EQ(result.costs.algorithmic_computes, 512);
    EXPECT_EQ(result.costs.computes, (sparse::Counts{64, 0, 0}));
    EXPECT_EQ(result.common.cycles, 64);
    const sparse::TensorCosts& a = result.costs.memories[0].tensors[0];
    EXPECT_EQ(a.format, (std::vector<std::string>{"uop", "cp"}));
    EXPECT_EQ(a.most_words, 16);
    EXPECT_EQ(a.reads.algorithmic, 512);
    EXPECT_EQ(a.reads.data, (sparse::Counts{64, 0, 64}));
    EXPECT_EQ(a.reads.metadata[0].payload, (sparse::Counts{36, 0, 36}));
    EXPECT_EQ(a.reads.metadata[1].metadata, (sparse::Counts{64, 0, 64}));
    const sparse::TensorCosts& b = result.costs.memories[1].tensors[1];
    EXPECT_EQ(b.most_words, 8);
    EXPECT_EQ(b.reads.data, (sparse::Counts{64, 0, 192}));
    EXPECT_EQ(b.fills.data, (sparse::Counts{32, 0, 0}));
    EXPECT_EQ(b.reads.metadata[0].payload, (sparse::Counts{72, 0, 216}));
    EXPECT_EQ(b.fills.metadata[1].metadata, (sparse::Counts{32, 0, 0}));
    EXPECT_NEAR(result.common.memories[1].tensors[2].read_words_per_cycle, 0.875, 0.005);
}

TEST(SparseTimeloop, WithoutZerosNothingIsAvoided) {
    const std::string full = replaced(replaced(kProblem, "0.25", "1.0"), "0.5", "1.0");
    const std::string roomy = replaced(replaced(kMachine, "metadata_storage_depth: 128", "metadata_storage_depth: 999"),
                                       "metadata_storage_depth: 64", "metadata_storage_depth: 999");
    const SparseResult result = counted(read(full + roomy + kMapping));
    ASSERT_FALSE(result.common.refusal) << result.common.refusal->message;
    EXPECT_EQ(result.costs.computes, (sparse::Counts{512, 0, 0}));
    EXPECT_EQ(result.costs.memories[0].tensors[0].reads.data, (sparse::Counts{512, 0, 0}));
}

// Eight places of K over four units: on average a quarter of A's column of eight and half of B's row are occupied.
TEST(SparseTimeloop, SpatialSkippingIsForMoreTilesThanThereAreUnits) {
    const auto machine = [](const std::string& section) {
        return replaced(kMachine, "  - !Component {name: mac,",
                        "  - !Container {name: lane, spatial: {meshX: 4}" + section + "}\n  - !Component {name: mac,");
    };
    const std::string skipping =
        ", sparse_optimizations: {action_optimization: [{type: skipping_spatial, options: [{target: Z, condition_on: "
        "[A]}]}]}";
    const std::string mapping = R"(
mapping:
- {target: Buffer, type: datatype, keep: [B, Z], bypass: [A]}
- {target: inter_lane_spatial, type: datatype, bypass: [A, B, Z]}
- {target: Buffer, type: temporal, factors: M8 N2 K1, permutation: MNK}
- {target: inter_lane_spatial, type: spatial, factors: K8, permutation: K}
- {target: Backing, type: temporal, factors: M1 N4 K1, permutation: NMK}
)";
    const SparseResult dense_units = counted(read(kProblem + machine("") + mapping));
    ASSERT_TRUE(dense_units.common.refusal);
    EXPECT_NE(dense_units.common.refusal->message.find("would need 8 instances"), std::string::npos);
    const SparseResult result = counted(read(kProblem + machine(skipping) + mapping));
    ASSERT_FALSE(result.common.refusal) << result.common.refusal->message;
    EXPECT_LE(result.common.compute_units_used, 4);
}

std::string refusal_of(const std::string& text) {
    const SparseResult result = counted(read(text));
    return result.common.refusal ? result.common.refusal->message : "";
}

TEST(SparseTimeloop, RefusesWhereTimeloopExits) {
    const std::string dense_buffer =
        replaced(kMachine, "        - {name: B, ranks: [{format: UOP}, {format: CP}]}\n        - {name: A",
                 "        - {name: A");
    EXPECT_NE(refusal_of(kProblem + dense_buffer + kMapping).find("decompression_supported"), std::string::npos);
    const std::string few = replaced(kMachine, "ranks: [{format: UOP}, {format: CP}]", "ranks: [{format: CP}]");
    EXPECT_NE(refusal_of(kProblem + few + kMapping).find("more ranks"), std::string::npos);
    const std::string small = replaced(kMachine, "metadata_storage_depth: 64", "metadata_storage_depth: 1");
    EXPECT_NE(refusal_of(kProblem + small + kMapping).find("bits of metadata"), std::string::npos);
}

ErrorCode mistake(const std::string& problem, const std::string& machine, int line) {
    const auto found = mistake_of([&] { return read(problem + machine + kMapping).design; });
    EXPECT_EQ(found.where.file, "case.yaml") << found.message;
    EXPECT_EQ(found.where.line, line) << found.message;
    return found.code;
}

TEST(ReadSparse, MistakesAreToldAtTheirPlace) {
    const auto machine = [](const std::string& old, const std::string& by) {
        return mistake(kProblem, replaced(kMachine, old, by), 23);
    };
    EXPECT_EQ(machine("{name: A, ranks: [{format: UOP}", "{name: A, ranks: [{format: U}"), ErrorCode::unknown_name);
    EXPECT_EQ(machine("{name: A, ranks: [{format: UOP}, {format: CP}]}", "{name: Q, ranks: [{format: CP}]}"),
              ErrorCode::unknown_tensor);
    EXPECT_EQ(machine("{name: A, ranks: [{format: UOP}, {format: CP}]}", "{name: A, ranks: []}"), ErrorCode::bad_value);
    EXPECT_EQ(
        machine("{name: A, ranks: [{format: UOP}, {format: CP}]}", "{name: A, ranks: [{format: CP}, {format: UOP}]}"),
        ErrorCode::bad_value);
    EXPECT_EQ(machine("{name: A, ranks: [{format: UOP}, {format: CP}]}",
                      "{name: A, ranks: [{format: CP, metadata_word_bits: 9}]}"),
              ErrorCode::bad_value);
    EXPECT_EQ(machine("{name: A, ranks: [{format: UOP}, {format: CP}]}",
                      "{name: A, ranks: [{format: CP, flattened_rankIDs: [[Q]]}]}"),
              ErrorCode::unknown_name);
    std::string many = "{format: UOP}";
    for (int i = 1; i < 1000; ++i) many += ", {format: UOP}";
    EXPECT_EQ(machine("ranks: [{format: UOP}, {format: CP}]", "ranks: [" + many + "]"), ErrorCode::bad_value);
    EXPECT_EQ(mistake(kProblem, replaced(kMachine, "condition_on: [B]", "condition_on: [Q]"), 36),
              ErrorCode::unknown_tensor);
    EXPECT_EQ(mistake(kProblem, replaced(kMachine, "type: skipping", "type: hopping"), 36), ErrorCode::bad_value);
}

TEST(ReadSparse, DensitiesThatMeanNothingAreRefused) {
    const auto density = [](const std::string& text) {
        return mistake(replaced(kProblem, "A: 0.25", "A: " + text), kMachine, 10);
    };
    EXPECT_EQ(density("1.5"), ErrorCode::bad_value);
    EXPECT_EQ(density("-0.1"), ErrorCode::bad_value);
    EXPECT_EQ(density("{distribution: 'n:m', n: 3, m: 2, along: K}"), ErrorCode::bad_value);
    EXPECT_EQ(density("{distribution: 'n:m', n: 2, m: 3, along: K}"), ErrorCode::bad_value);
    EXPECT_EQ(density("{distribution: 'n:m', n: 2, m: 4, along: N}"), ErrorCode::unknown_name);
    EXPECT_EQ(density("{distribution: banded, band_width: -1}"), ErrorCode::bad_value);
    EXPECT_EQ(density("{distribution: normal, density: 0.5}"), ErrorCode::unknown_name);
    EXPECT_EQ(density("{distribution: measured, file: nowhere.npy}"), ErrorCode::missing_file);
    EXPECT_EQ(mistake(replaced(kProblem, "A: 0.25", "Q: 0.25"), kMachine, 10), ErrorCode::unknown_tensor);
}

TEST(ReadSparse, OurOwnDensitiesAreRead) {
    const Case one =
        read(replaced(kProblem, "A: 0.25", "A: {distribution: 'n:m', n: 2, m: 4, along: K}") + kMachine + kMapping);
    EXPECT_EQ(one.design.densities[0], sparse::Density(sparse::Pattern{2, 4, 1}));
    EXPECT_EQ(counted(one).costs.memories[0].tensors[0].most_words, 32);
}

TEST(ReadSparse, TheOrderOfLoopsThatRunOnceIsThatOfTheFile) {
    const Case one = read(kProblem + kMachine + kMapping);
    EXPECT_EQ(one.orders[0].temporal, (std::vector<int>{1, 0, 2}));
    const FullNest nest = full_nest(one.einsum, one.architecture, one.mapping, one.orders);
    ASSERT_EQ(nest[1].size(), 3U);
    EXPECT_EQ(nest[1][0].dimension, 1);
    EXPECT_EQ(nest[1][0].bound, 4);
    EXPECT_EQ(nest[1][1].dimension, 0);
    EXPECT_EQ(nest[1][1].bound, 1);
}

TEST(MatrixFile, WhatIsNotZeroIsRead) {
    const sparse::Measured market = timeloop::read_matrix_market(
        "%%MatrixMarket matrix coordinate real symmetric\n% why\n3 3 3\n1 1 2.0\n3 1 -1\n2 2 0\n", "a.mtx");
    EXPECT_EQ(market.extents, (sparse::Tile{3, 3}));
    EXPECT_EQ(*market.places, (std::vector<std::int64_t>{0, 2, 6}));
    std::string array("\x93NUMPY\x01\x00", 8);
    const std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n";
    array += static_cast<char>(header.size());
    array += '\0';
    const sparse::Measured npy = timeloop::read_npy(array + header + std::string("\0\1\0\0\1\0", 6), "a.npy");
    EXPECT_EQ(npy.extents, (sparse::Tile{2, 3}));
    EXPECT_EQ(*npy.places, (std::vector<std::int64_t>{2, 3}));
}

TEST(MatrixFile, OtherFilesAreRefused) {
    const auto market = [](const char* text) {
        return mistake_of([&] { return timeloop::read_matrix_market(text, "a.mtx"); }).code;
    };
    EXPECT_EQ(market(""), ErrorCode::syntax);
    EXPECT_EQ(market("%%MatrixMarket matrix coordinate complex general\n"), ErrorCode::unsupported);
    EXPECT_EQ(market("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n"), ErrorCode::bad_value);
    EXPECT_EQ(market("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n"), ErrorCode::syntax);
    EXPECT_EQ(mistake_of([] { return timeloop::read_npy("NUMPY", "a.npy"); }).code, ErrorCode::syntax);
    EXPECT_EQ(mistake_of([] { return timeloop::read_matrix_file("weights.csv"); }).code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace tilewright::account::sparse_account_test
