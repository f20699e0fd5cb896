// Worked examples of the counting rules; property tests compare the closed forms with the oracle.
#include "model/exact/model.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "mapping/validity.hpp"

namespace tilewright::exact_model_test {
namespace {

Rank rank(std::vector<Term> terms) { return {std::move(terms)}; }

// O[p] += W[r] * I[p + r]
Einsum conv1d(std::int64_t p, std::int64_t r) {
    return {"conv1d",
            {{"P", p}, {"R", r}},
            {{"W", {rank({{1, 1}})}, false}, {"I", {rank({{0, 1}, {1, 1}})}, false}, {"O", {rank({{0, 1}})}, true}}};
}

Memory memory(std::string name, std::int64_t instances = 1) {
    Memory m;
    m.name = std::move(name);
    m.instances = instances;
    m.mesh = {instances, 1};
    return m;
}

Architecture machine(std::int64_t units = 1) {
    Architecture a;
    a.memories = {memory("DRAM"), memory("Buffer")};
    a.compute.instances = units;
    a.compute.mesh = {units, 1};
    return a;
}

Loop loop(int dimension, std::int64_t extent, LoopKind kind = LoopKind::temporal) {
    return {dimension, extent, extent, kind};
}

const TensorSet kAll = TensorSet::all(3);

TEST(Model, SlidingWindowsKeepTheirOverlap) {
    // Buffer holds 2 outputs and the 4 inputs they need; each step of P brings 2 new inputs.
    const Einsum einsum = conv1d(8, 3);
    const Mapping mapping = mapping_of({{kAll, {loop(0, 4)}, {}}, {kAll, {loop(0, 2), loop(1, 3)}, {}}});
    const Evaluation e = evaluate(einsum, machine(), mapping);
    EXPECT_EQ(e.memories[0].tensors[1].reads, 4 + 3 * 2);
    EXPECT_EQ(e.memories[1].tensors[1].fills, 10);
    EXPECT_EQ(e.memories[1].tensors[1].tile_words, 4);
}

TEST(Model, IrrelevantLoopsLeaveTilesInPlace) {
    const Einsum einsum = conv1d(8, 3);
    const Mapping mapping = mapping_of({{kAll, {loop(0, 8)}, {}}, {kAll, {loop(1, 3)}, {}}});
    const Evaluation e = evaluate(einsum, machine(), mapping);
    EXPECT_EQ(e.memories[0].tensors[0].reads, 3);  // the weights are sent once
}

TEST(Model, TensorsOfAnUnevenMappingSeeTheirOwnStores) {
    // Outputs stay over the whole filter; one window of inputs and one weight are held.
    const Einsum einsum = conv1d(8, 3);
    const Mapping mapping{{Store{0, kAll}, loop(0, 4), Store{1, TensorSet::from_bits(0b100)}, loop(1, 3),
                           Store{1, TensorSet::from_bits(0b011)}, loop(0, 2)},
                          {}};
    const Evaluation e = evaluate(einsum, machine(), mapping);
    EXPECT_EQ(e.memories[1].tensors[0].fills, 4 * 3);
    EXPECT_EQ(e.memories[1].tensors[1].fills, 2 + 4 * (1 + 1))
        << "windows slide along R; a step of P starts where R ended";
    EXPECT_EQ(e.memories[0].tensors[2].updates, 8);
    EXPECT_EQ(e.memories[1].tensors[2].tile_words, 2);
    EXPECT_EQ(e.memories[1].used_words, 1 + 2 + 2);
}

TEST(Model, PartialSumsThatComeBackAreReadFirst) {
    // R outside P: every output leaves the buffer three times, and comes back twice.
    const Einsum einsum = conv1d(8, 3);
    const Mapping mapping = mapping_of({{kAll, {loop(1, 3), loop(0, 8)}, {}}, {kAll, {}, {}}});
    const Evaluation e = evaluate(einsum, machine(), mapping);
    EXPECT_EQ(e.memories[0].tensors[2].updates, 24);
    EXPECT_EQ(e.memories[0].tensors[2].reads, 16);
    EXPECT_EQ(e.memories[1].tensors[2].fills, 16);
    EXPECT_EQ(e.memories[1].tensors[2].updates, 24);
    EXPECT_EQ(e.memories[1].tensors[2].reads, 16);
}

TEST(Model, WordsThatNeverArriveNeedNoRead) {
    // O[2p + r] += W[r] * I[p], P = 4 in time, R = 2 across units; the inner buffers hold all four outputs of their r:
    // a box of 7 words, 4 of them ever arriving.
    const Einsum einsum{
        "transposed",
        {{"P", 4}, {"R", 2}},
        {{"W", {rank({{1, 1}})}, false}, {"I", {rank({{0, 1}})}, false}, {"O", {rank({{0, 2}, {1, 1}})}, true}}};
    Architecture a = machine(2);
    a.memories[1] = memory("Buffer", 2);
    const Mapping mapping = mapping_of({{kAll, {}, {loop(1, 2, LoopKind::spatial_x)}}, {kAll, {loop(0, 4)}, {}}});
    const Evaluation e = evaluate(einsum, a, mapping);
    EXPECT_EQ(e.memories[1].tensors[2].tile_words, 7);
    EXPECT_EQ(e.memories[1].tensors[2].updates, 2 * 4);
    EXPECT_EQ(e.memories[1].tensors[2].reads, 0);
    EXPECT_EQ(e.memories[1].tensors[2].fills, 0);
    EXPECT_EQ(e.memories[0].tensors[2].updates, 2 * 7);  // tiles go out whole; the two overlap in 6 words
    EXPECT_EQ(e.memories[0].tensors[2].reads, 2 * 7 - 8);
}

TEST(Model, MulticastAndSpatialReductionCountOnce) {
    // Unit r reads I[p + r] and all three add to O[p].
    const Einsum einsum = conv1d(8, 3);
    const Mapping mapping = mapping_of({{kAll, {}, {}}, {kAll, {loop(0, 8)}, {loop(1, 3, LoopKind::spatial_x)}}});
    const Evaluation e = evaluate(einsum, machine(3), mapping);
    EXPECT_EQ(e.cycles, 8);
    EXPECT_EQ(e.memories[1].tensors[1].reads, 24);
    EXPECT_EQ(e.memories[1].tensors[2].updates, 8);
    EXPECT_EQ(e.memories[1].link[2].delivered, 24);
}

TEST(Model, RemaindersLeaveUnitsIdle) {
    // 7 outputs on 3 units: 3 + 3 + 1.
    const Einsum einsum = conv1d(7, 1);
    const Mapping mapping =
        mapping_of({{kAll, {}, {}}, {kAll, {{0, 3, 3, LoopKind::temporal}}, {{0, 3, 1, LoopKind::spatial_x}}}});
    const Evaluation e = evaluate(einsum, machine(3), mapping);
    EXPECT_EQ(e.computes, 7);
    EXPECT_EQ(e.cycles, 3);
    EXPECT_EQ(e.memories[1].tensors[0].reads, 3);  // the one weight, multicast to 3, 3 and 1 units
    EXPECT_EQ(e.memories[1].tensors[1].reads, 7);
}

TEST(Model, ABypassedMemoryHandsItsDemandOutwards) {
    const Einsum einsum = conv1d(8, 3);
    TensorSet without_inputs = kAll;
    without_inputs.remove(1);
    const Mapping mapping = mapping_of({{kAll, {loop(0, 4)}, {}}, {without_inputs, {loop(0, 2), loop(1, 3)}, {}}});
    const Evaluation e = evaluate(einsum, machine(), mapping);
    EXPECT_EQ(e.memories[0].tensors[1].reads, 24);
    EXPECT_FALSE(e.memories[1].tensors[1].kept);
}

// docs/model.md, "Passing a memory by": cells below 2 columns of 3 rows keep weights only. K = 4 takes two steps: three
// rows have work, then one.
TEST(Model, WhatATileAtRestIsAskedForIsCountedInEveryStep) {
    const Einsum einsum{"vector",
                        {{"N", 2}, {"K", 4}},
                        {{"W", {rank({{1, 1}}), rank({{0, 1}})}, false},
                         {"I", {rank({{1, 1}})}, false},
                         {"O", {rank({{0, 1}})}, true}}};
    Architecture a;
    a.memories = {memory("Buffer"), memory("Columns"), memory("Rows", 2), memory("Cells", 6)};
    a.compute.instances = 6;
    a.compute.mesh = {6, 1};
    const Mapping mapping = mapping_of({{kAll, {loop(1, 2)}, {}},
                                        {{}, {}, {loop(0, 2, LoopKind::spatial_x)}},
                                        {{}, {}, {{1, 3, 1, LoopKind::spatial_x}}},
                                        {TensorSet::of(0), {}, {}}});
    const std::vector<TensorTraffic>& buffer = evaluate(einsum, a, mapping).memories[0].tensors;
    EXPECT_EQ(buffer[2].updates, 4);
    EXPECT_EQ(buffer[2].reads, 2);
    EXPECT_EQ(buffer[1].reads, 4);
    EXPECT_EQ(buffer[0].reads, 8);
}

TEST(Model, RefusesAccountingOptions) {
    Mapping mapping = mapping_of({{kAll, {loop(0, 4)}, {}}, {kAll, {loop(0, 2), loop(1, 3)}, {}}});
    mapping.options.resize(2);
    mapping.options[0].no_multicast.add(0);
    EXPECT_THROW(evaluate(conv1d(8, 3), machine(), mapping), std::invalid_argument);
}

// O[n,k] += W[k,c] * I[n,c] with n = 4, k = 8, c = 16. Memory words of 16 bits, four to a row; the outer loops step
// over k, so the buffer holds all inputs (64 words), a row of weights (16) and four outputs.
TEST(Model, WordsOfOtherWidthsTakeTheirShareOfRowsRoomBandwidthAndWires) {
    Einsum einsum{"gemm",
                  {{"N", 4}, {"K", 8}, {"C", 16}},
                  {{"W", {rank({{1, 1}}), rank({{2, 1}})}, false},
                   {"I", {rank({{0, 1}}), rank({{2, 1}})}, false},
                   {"O", {rank({{0, 1}}), rank({{1, 1}})}, true}}};
    einsum.tensors[0].bits = 4;
    einsum.tensors[2].bits = 32;
    Architecture a = machine();
    for (Memory& one : a.memories) {
        one.block_words = 4;
        one.energy.read_pj.value = 1.0;
        one.energy.fill_pj.value = 1.0;
        one.energy.update_pj.value = 1.0;
    }
    a.memories[0].link.energy_per_hop_pj = 1.0;
    a.memories[1].capacity_words = 76;
    a.memories[1].instances = a.compute.instances = 3;  // in a column, entered in the middle: one hop to the first
    a.memories[1].mesh = a.compute.mesh = {1, 3};
    const Mapping mapping = mapping_of({{kAll, {loop(1, 8)}, {}}, {kAll, {loop(0, 4), loop(2, 16)}, {}}});
    const Evaluation e = evaluate(einsum, a, mapping);

    // 16 weights of 4 bits take 4 words, 4 outputs of 32 bits 8, the inputs 64.
    EXPECT_EQ(e.memories[1].used_words, 76);
    EXPECT_TRUE(check(einsum, a, mapping).empty());
    a.memories[1].capacity_words = 75;
    const std::vector<Violation> violations = check(einsum, a, mapping);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].message,
              "Buffer holds 76 words, 1 more than its 75: W 16 of 4 bits, I 64 and O 4 of 32 bits");

    // 128 weights are read from DRAM, 16 to a row of 64 bits; 64 inputs, 4 to a row; 32 outputs written, 2 to a row.
    EXPECT_DOUBLE_EQ(e.memories[0].tensors[0].energy_pj, 128.0 / 16);
    EXPECT_DOUBLE_EQ(e.memories[0].tensors[1].energy_pj, 64.0 / 4);
    EXPECT_DOUBLE_EQ(e.memories[0].tensors[2].energy_pj, 32.0 / 2);
    EXPECT_DOUBLE_EQ(e.memories[0].tensors[0].bandwidth_share, 0.25);
    EXPECT_DOUBLE_EQ(e.memories[0].tensors[0].read_words_per_cycle, 128.0 / 512 * 0.25);
    EXPECT_DOUBLE_EQ(e.memories[0].tensors[2].bandwidth_share, 2.0);
    // Wires carry a quarter of the bits for a weight and twice as many for an output.
    EXPECT_DOUBLE_EQ(e.memories[0].link[0].energy_pj, 0.25 * 128);
    EXPECT_DOUBLE_EQ(e.memories[0].link[1].energy_pj, 64);
    EXPECT_DOUBLE_EQ(e.memories[0].link[2].energy_pj, 2.0 * 32);
}

// O[n] += W[k, n] * I[k]
Einsum one_token(std::int64_t n, std::int64_t k) {
    return {"token",
            {{"N", n}, {"K", k}},
            {{"W", {rank({{1, 1}}), rank({{0, 1}})}, false},
             {"I", {rank({{1, 1}})}, false},
             {"O", {rank({{0, 1}})}, true}}};
}

TEST(Model, MemoriesThatKeepNothingChangeNoHops) {
    // Four units in a row share K, N is stepped over. An input goes 0, 1, 2 or 3 hops in both steps, a sum takes 3.
    const Einsum einsum = one_token(2, 4);
    const std::vector<Loop> row = {loop(1, 4, LoopKind::spatial_x)};
    Architecture a = machine(4);
    const Evaluation alone = evaluate(einsum, a, mapping_of({{kAll, {loop(0, 2)}, {}}, {kAll, {}, row}}));
    a.memories.push_back(memory("Useless", 4));
    const Evaluation past = evaluate(einsum, a, mapping_of({{kAll, {loop(0, 2)}, {}}, {kAll, {}, row}, {{}, {}, {}}}));
    const double hops[] = {12, 2 * 6, 2 * 3};
    for (int t = 0; t < 3; ++t) {
        EXPECT_EQ(alone.memories[1].link[t].hops, hops[t]) << einsum.tensors[t].name;
        EXPECT_EQ(past.memories[1].link[t].hops, hops[t]) << einsum.tensors[t].name;
    }
}

TEST(Model, WordsThatPassTravelWhenTheyAreAskedFor) {
    // The example of docs/model.md, "Passing a memory by".
    const Einsum einsum = one_token(2, 4);
    Architecture a = machine(6);
    a.memories.push_back(memory("Cells", 6));
    a.memories[2].mesh = a.compute.mesh = {2, 3};
    const Evaluation e =
        evaluate(einsum, a,
                 mapping_of({{kAll, {}, {}},
                             {kAll, {loop(1, 2)}, {{1, 3, 1, LoopKind::spatial_y}, loop(0, 2, LoopKind::spatial_x)}},
                             {TensorSet::from_bits(0b001), {}, {}}}));
    EXPECT_EQ(e.memories[1].tensors[2].updates, 4);
    EXPECT_EQ(e.memories[1].tensors[1].reads, 4);
    EXPECT_EQ(e.memories[1].link[2].hops, 5 + 3);
    EXPECT_EQ(e.memories[1].link[1].hops, 7 + 3);
}

}  // namespace
}  // namespace tilewright::exact_model_test
