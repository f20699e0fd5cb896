// ONNX Runtime's operators: expectations by hand from the shapes in tools/make_onnx.py and ONNX Runtime's operator
// documentation.
#include "onnx/operators/microsoft.hpp"

#include <gtest/gtest.h>

#include <map>

#include "onnx/onnx.hpp"
#include "workload/shapes.hpp"

namespace tilewright::onnx::microsoft_test {
namespace {

Network model() { return read_onnx("tests/data/onnx/microsoft.onnx"); }

std::map<std::string, Einsum> einsums(const Network& network) {
    std::map<std::string, Einsum> all;
    for (const Layer& layer : network.layers) all.emplace(layer.name, layer.einsum);
    return all;
}

Einsum narrow(Einsum einsum, std::int64_t weights, std::int64_t inputs = 0) {
    einsum.tensors.at(0).bits = weights;
    einsum.tensors.at(1).bits = inputs;
    return einsum;
}

// A head of the scores is [rows, features] times [features, keys], one of the values [rows, keys] times [keys,
// features]; there are batch * heads of them.
const std::map<std::string, Einsum> kExpected{
    {"four_bits", narrow(gemm(2 * 5, 64, 48), 4)},
    {"two_bits", narrow(gemm(2 * 5, 64, 40), 2)},
    // 160 columns are 64 of queries, 64 of keys and 32 of values; 7 keys are there already.
    {"attention/projection", gemm(2 * 5, 64, 160)},
    {"attention/scores", batched_matmul(2 * 4, 5, 64 / 4, 7 + 5)},
    {"attention/values", batched_matmul(2 * 4, 5, 7 + 5, 32 / 4)},
    {"after_attention", gemm(2 * 5, 32, 6)},
    {"after_skip", gemm(2 * 5, 64, 6)},
    {"apart/scores", batched_matmul(2 * 4, 5, 16, 9 + 3)},
    {"apart/values", batched_matmul(2 * 4, 5, 9 + 3, 8)},
    {"after_apart", gemm(2 * 5, 32, 6)},
    {"packed_qkv/scores", batched_matmul(2 * 4, 5, 16, 5)},
    {"packed_qkv/values", batched_matmul(2 * 4, 5, 5, 16)},
    {"packed_kv/scores", batched_matmul(2 * 4, 5, 16, 9)},
    {"packed_kv/values", batched_matmul(2 * 4, 5, 9, 16)},
    {"cross/scores", batched_matmul(2 * 4, 5, 16, 11)},
    {"cross/values", batched_matmul(2 * 4, 5, 11, 8)},
    // The buffer has room for 20 keys, 12 of them present by the model.
    {"grouped/scores", batched_matmul(2 * 8, 5, 8, 12)},
    {"grouped/values", batched_matmul(2 * 8, 5, 12, 8)},
    {"grouped_unknown/scores", narrow(batched_matmul(2 * 8, 5, 8, 20 + 5), 8)},
    {"grouped_unknown/values", narrow(batched_matmul(2 * 8, 5, 20 + 5, 8), 8)},
    // 96 features are 8 heads of queries, 2 of keys and 2 of values.
    {"grouped_packed/scores", batched_matmul(8, 5, 96 / 12, 5)},
    {"grouped_packed/values", batched_matmul(8, 5, 5, 96 / 12)},
    {"after_grouped", gemm(5, 64, 6)},
    {"first_tokens/scores", batched_matmul(8, 5, 8, 5)},
    {"first_tokens/values", batched_matmul(8, 5, 5, 8)},
    // [3, 6, 5] and [3, 7, 6], both transposed.
    {"fused", batched_matmul(3, 5, 6, 7)},
    {"fused_conv", conv2d(3, 4, 6, 3)},
    {"dynamic", narrow(gemm(2 * 5, 64, 9), 8, 8)},
    {"behind_quant", narrow(gemm(2 * 5, 64, 3), 4)},
};

TEST(Microsoft, ProductsInsideAreLayers) {
    const std::map<std::string, Einsum> found = einsums(model());
    for (const auto& [name, einsum] : kExpected) {
        ASSERT_TRUE(found.contains(name)) << name;
        EXPECT_EQ(found.at(name), einsum) << name << ": " << to_text(found.at(name));
    }
    EXPECT_EQ(found.size(), kExpected.size());
}

TEST(Microsoft, WhatMultipliesNothingIsListed) {
    std::map<std::string, std::string> reasons;
    for (const UnmappedOperator& op : model().unmapped) reasons[op.name] = op.reason;
    EXPECT_EQ(reasons, (std::map<std::string, std::string>{{"skip", "normalises"},
                                                           {"rotary", "works element by element"},
                                                           {"quant", "changes the number format"}}));
}

TEST(Microsoft, ProductsOfOneOperatorFollowEachOther) {
    const Network network = model();
    const auto place = [&](const std::string& name) {
        for (std::size_t i = 0; i < network.layers.size(); ++i)
            if (network.layers[i].name == name) return static_cast<int>(i);
        return -1;
    };
    EXPECT_EQ(network.layers.at(place("attention/scores")).feeds_from, std::vector<int>{place("attention/projection")});
    EXPECT_EQ(network.layers.at(place("after_attention")).feeds_from, std::vector<int>{place("attention/values")});
}

}  // namespace
}  // namespace tilewright::onnx::microsoft_test
