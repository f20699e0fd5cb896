#include "zigzag/forms/translate.hpp"

#include <gtest/gtest.h>

#include "fixtures/zigzag_sample.hpp"
#include "model/exact/model.hpp"
#include "zigzag/forms/uneven_text.hpp"

namespace tilewright::zigzag::translate_test {
namespace {

enum Dims { M, N, K };
enum Tensors { A, B, Z };

Einsum product() {
    return {"product",
            {{"M", 12}, {"N", 8}, {"K", 6}},
            {{"A", {Rank{{{M, 1}}}, Rank{{{K, 1}}}}, false},
             {"B", {Rank{{{K, 1}}}, Rank{{{N, 1}}}}, false},
             {"Z", {Rank{{{M, 1}}}, Rank{{{N, 1}}}}, true}}};
}

Architecture machine() {
    Architecture machine;
    machine.name = "machine";
    machine.memories.resize(2);
    Memory& dram = machine.memories[0];
    dram.name = "dram";
    dram.energy.read_pj.value = 100.0;
    dram.energy.fill_pj.value = dram.energy.update_pj.value = 100.0;
    Memory& spad = machine.memories[1];
    spad.name = "spad";
    spad.capacity_words = 64;
    spad.mesh = {2, 2};
    spad.instances = 4;
    spad.energy.read_pj.value = 1.0;
    spad.energy.fill_pj.value = spad.energy.update_pj.value = 2.0;
    machine.compute.mesh = {2, 2};
    machine.compute.instances = 4;
    machine.compute.energy_pj.value = 0.5;
    return machine;
}

Loop temporal(int dimension, std::int64_t extent) { return {dimension, extent, extent, LoopKind::temporal}; }

/// M over the mesh, the reduction stationary.
Mapping mapping() {
    const TensorSet all = TensorSet::all(3);
    return {{Store{0, all}, temporal(N, 8), temporal(M, 3), Loop{M, 2, 2, LoopKind::spatial_x},
             Loop{M, 2, 2, LoopKind::spatial_y}, Store{1, all}, temporal(K, 6)},
            {}};
}

TEST(ZigzagTranslation, MemoriesFanOutsAndLoopsFindTheirPlaces) {
    const auto translated = translate(product(), machine(), mapping());
    ASSERT_TRUE(std::holds_alternative<Translation>(translated)) << std::get<std::string>(translated);
    const auto& same = std::get<Translation>(translated);
    EXPECT_EQ(same.accelerator.units, 4);
    EXPECT_EQ(same.accelerator.memories[0].name, "spad");
    EXPECT_EQ(same.accelerator.memories[0].size_bits, 64 * 16);
    EXPECT_TRUE(same.accelerator.memories[0].served.empty());
    EXPECT_EQ(same.accelerator.memories[1].served, (std::vector<int>{0, 1}));
    EXPECT_EQ(same.unrolling, (ArrayUnrolling{{{M, 2}}, {{M, 2}}}));
    EXPECT_EQ(to_text(same.accelerator, same.layer, same.mapping),
              "Z: spad [K6] dram [M3 N8]\nA: spad [K6] dram [M3 N8]\nB: spad [K6] dram [M3 N8]\n");
}

TEST(ZigzagTranslation, WholeTilesCostTheSameEverywhere) {
    const auto translated = translate(product(), machine(), mapping());
    const auto& same = std::get<Translation>(translated);
    const Result result = evaluate(same.accelerator, same.layer,
                                   spatial_pair(same.accelerator, same.layer, same.unrolling), same.mapping);
    ASSERT_EQ(result.refusal, "");
    const Evaluation theirs = to_evaluation(result, same, product(), machine());
    const Evaluation exact = tilewright::evaluate(product(), machine(), mapping());
    EXPECT_EQ(theirs.computes, exact.computes);
    EXPECT_EQ(theirs.compute_cycles, exact.compute_cycles);
    for (const int tensor : {A, B})
        EXPECT_EQ(theirs.memories[0].tensors[tensor].reads, exact.memories[0].tensors[tensor].reads);
    for (const int tensor : {A, B})
        EXPECT_EQ(theirs.memories[1].tensors[tensor].fills, exact.memories[1].tensors[tensor].fills);
    EXPECT_EQ(theirs.memories[0].tensors[Z].updates, exact.memories[0].tensors[Z].updates);
    EXPECT_EQ(theirs.memories[0].energy_pj, exact.memories[0].energy_pj);
}

TEST(ZigzagTranslation, LayersAreEinsums) {
    const Layer layer = sample::convolution({1, 8, 4, 6, 6, 3, 3}, {2, 1});
    EXPECT_EQ(tilewright::to_text(to_einsum(layer)), "O[B, K, OY, OX] += W[K, C, FY, FX] * I[B, C, 2*OY+FY, 2*OX+FX]");
    EXPECT_EQ(problem_with(to_einsum(layer)), "");
}

TEST(ZigzagTranslation, TensorsMayPassMemoriesBy) {
    Mapping uneven = mapping();
    std::get<Store>(uneven.nodes[5]).tensors.remove(B);
    const auto translated = translate(product(), machine(), uneven);
    const auto& same = std::get<Translation>(translated);
    EXPECT_EQ(levels_text(same.accelerator, same.layer, 2, same.mapping.operands[2]), "dram [K6 M3 N8]");
    EXPECT_EQ(same.accelerator.memories[0].operands.size(), 2U);
}

TEST(ZigzagTranslation, WhatZigzagHasNoWordsForIsRefused) {
    const auto reason = [](const Einsum& einsum, const Mapping& mapping) {
        const auto translated = translate(einsum, machine(), mapping);
        return std::holds_alternative<std::string>(translated) ? std::get<std::string>(translated) : "";
    };
    Mapping imperfect = mapping();
    std::get<Loop>(imperfect.nodes[1]).remainder = 3;
    EXPECT_EQ(reason(product(), imperfect), "the loop over N has a remainder");
    Mapping outside = mapping();
    std::get<Store>(outside.nodes[0]).tensors.remove(A);
    EXPECT_EQ(reason(product(), outside), "the loop over M lies outside the outermost memory of tensor 'A'");
    Einsum three = product();
    three.tensors.insert(three.tensors.begin(), {"C", {Rank{{{M, 1}}}}, false});
    EXPECT_EQ(reason(three, mapping()), "ZigZag's layers have one result and one or two inputs");
    Einsum diagonal = product();
    diagonal.tensors[A].ranks[0].terms = {{M, 1}, {N, 1}, {K, 1}};
    EXPECT_EQ(reason(diagonal, mapping()), "tensor 'A' has an axis that is no window of two dimensions");
}

}  // namespace
}  // namespace tilewright::zigzag::translate_test
