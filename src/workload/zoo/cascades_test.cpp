#include "workload/zoo/cascades.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "workload/cascade/layers.hpp"
#include "workload/shapes.hpp"

namespace tilewright::cascades_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// As their authors publish them: the sizes of the files of weights of each model (Hugging Face's model cards), GPT-3's
// "175.0B" (table 2.1) to its digits, DeepSeek-V3's "671B".
TEST(ZooCascades, ParametersAreThePublishedOnes) {
    const std::vector<std::pair<const char*, std::int64_t>> published{
        {"llama3-8b", 8'030'261'248},     {"llama3-70b", 70'553'706'496}, {"qwen3-8b", 8'190'735'360},
        {"mixtral-8x7b", 46'702'792'704}, {"mamba", 2'768'345'600},       {"bert-base", 109'482'240},
        {"vit-b16", 86'567'656}};
    for (const auto& [name, parameters] : published) EXPECT_EQ(parameter_count(zoo_cascade(name)), parameters) << name;
    EXPECT_EQ((parameter_count(zoo_cascade("gpt3-175b")) + 500'000'000) / 1'000'000'000, 175);
    EXPECT_EQ((parameter_count(zoo_cascade("deepseek-v3")) + 500'000'000) / 1'000'000'000, 671);
}

TEST(ZooCascades, BothPhasesHaveTheSameParameters) {
    for (const char* name : {"llama3-8b", "mixtral-8x7b", "deepseek-v3", "gpt3-175b", "mamba"})
        EXPECT_EQ(parameter_count(zoo_cascade(name, {}, Phase::decode)), parameter_count(zoo_cascade(name))) << name;
}

Einsum layer(const Cascade& cascade, const std::string& name) {
    return layers_of(cascade.einsums.at(static_cast<std::size_t>(find_einsum(cascade, name)))).front();
}

TEST(ZooCascades, LayersOfLlamaHaveItsSizes) {
    const Cascade cascade = zoo_cascade("llama3-8b", {{"batch", 2}, {"sequence", 100}});
    EXPECT_EQ(layer(cascade, "attention.query"), gemm(200, 4096, 4096));
    EXPECT_EQ(layer(cascade, "attention.key"), gemm(200, 4096, 1024));
    // Eight heads of keys, four queries for each: the queries are rows.
    EXPECT_EQ(layer(cascade, "attention.scores"), batched_matmul(16, 400, 128, 100));
    EXPECT_EQ(layer(cascade, "attention.mix"), batched_matmul(16, 400, 100, 128));
    EXPECT_EQ(layer(cascade, "mlp.up"), gemm(200, 4096, 14336));
    EXPECT_EQ(layer(cascade, "mlp.down"), gemm(200, 14336, 4096));
    EXPECT_EQ(layer(cascade, "lm_head"), gemm(2, 4096, 128256));
    EXPECT_EQ(repeats_of(cascade, find_einsum(cascade, "mlp.down")), 32);
}

TEST(ZooCascades, DecodeReadsTheCacheOfEveryPrompt) {
    const Cascade cascade = zoo_cascade("llama3-70b", {{"batch", 8}, {"context", 4095}}, Phase::decode);
    EXPECT_EQ(layer(cascade, "attention.scores"), batched_matmul(64, 8, 128, 4096));
    const CascadeTensor& keys = cascade.tensors.at(static_cast<std::size_t>(find_tensor(cascade, "K")));
    EXPECT_EQ(keys.role, TensorRole::cache);
    EXPECT_THAT(keys.shape, ElementsAre(8, 8, 4096, 128));
}

TEST(ZooCascades, ExpertsRunAsTokensChooseThem) {
    // One token chooses two of eight; 2048 tokens choose all, 512 times each.
    const Cascade one = zoo_cascade("mixtral-8x7b", {}, Phase::decode);
    EXPECT_EQ(layer(one, "experts.up"), batched_matmul(2, 1, 4096, 14336));
    EXPECT_EQ(layer(zoo_cascade("mixtral-8x7b"), "experts.up"), batched_matmul(8, 512, 4096, 14336));
}

TEST(ZooCascades, LatentAttentionIsAbsorbedInDecode) {
    const Cascade decode = zoo_cascade("deepseek-v3", {{"context", 1023}}, Phase::decode);
    // 128 heads share one cache of 576 words a token: they are rows.
    EXPECT_EQ(layer(decode, "attention.scores"), gemm(128, 576, 1024));
    EXPECT_EQ(layer(decode, "attention.mix"), gemm(128, 1024, 512));
    const Cascade prefill = zoo_cascade("deepseek-v3", {{"sequence", 64}});
    EXPECT_EQ(layer(prefill, "attention.scores"), batched_matmul(128, 64, 128, 64));
}

// Multiply-accumulates of contractions only, against arithmetic by hand.
TEST(ZooCascades, OperationsOfADecodedTokenFollowFromTheWeights) {
    const Cascade cascade = zoo_cascade("llama3-8b", {{"context", 2047}}, Phase::decode);
    std::int64_t operations = 0;
    for (int i = 0; i < cascade.einsum_count(); ++i)
        if (const CascadeEinsum& one = cascade.einsums[i]; one.kind == EinsumKind::contraction)
            operations += operation_count(one.einsum) * repeats_of(cascade, i);
    const std::int64_t matrices = 8'030'261'248 - 128'256LL * 4096 - 65LL * 4096;  // less the table and the gains
    EXPECT_EQ(operations, matrices + 32LL * 2 * 32 * 128 * 2048);
}

std::string mistake(const std::string& name, const std::map<std::string, std::int64_t>& extents, Phase phase) {
    try {
        zoo_cascade(name, extents, phase);
    } catch (const InputError& error) {
        return error.message();
    }
    return "";
}

TEST(ZooCascades, WhatDoesNotExistIsRefused) {
    EXPECT_THAT(mistake("llama3-9b", {}, Phase::prefill), HasSubstr("did you mean 'llama3-8b'?"));
    EXPECT_THAT(mistake("vit-b16", {}, Phase::decode), HasSubstr("is an encoder: it has no phase 'decode'"));
    EXPECT_THAT(mistake("mamba", {{"context", 3}}, Phase::decode), HasSubstr("it has batch and sequence"));
    EXPECT_THAT(mistake("llama3-8b", {{"batch", 0}}, Phase::prefill), HasSubstr("from 1 to 1000000000, found 0"));
    EXPECT_THAT(mistake("gpt3-175b", {{"batch", 1'000'000'000}, {"sequence", 1'000'000'000}}, Phase::prefill),
                HasSubstr("too large"));
}

}  // namespace
}  // namespace tilewright::cascades_test
