#include "workload/zoo/cascades.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "workload/cascade/layers.hpp"
#include "workload/shapes.hpp"

namespace tilewright::cascades_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Published by the authors: weight file sizes of each model (Hugging Face's model cards), GPT-3's "175.0B" (table 2.1)
// to its digits, DeepSeek-V3's "671B".
TEST(ZooCascades, ParametersAreThePublishedOnes) {
    const std::vector<std::pair<const char*, std::int64_t>> published{
        {"llama3-8b", 8'030'261'248},     {"llama3-70b", 70'553'706'496}, {"qwen3-8b", 8'190'735'360},
        {"mixtral-8x7b", 46'702'792'704}, {"mamba", 2'768'345'600},       {"bert-base", 109'482'240},
        {"vit-b16", 86'567'656}};
    for (const auto& [name, parameters] : published) EXPECT_EQ(parameter_count(zoo_cascade(name)), parameters) << name;
    EXPECT_EQ((parameter_count(zoo_cascade("gpt3-175b")) + 500'000'000) / 1'000'000'000, 175);
    EXPECT_EQ((parameter_count(zoo_cascade("deepseek-v3")) + 500'000'000) / 1'000'000'000, 671);
}

// torchvision's, which keeps normalisations apart: here they are folded into convolutions, leaving one of two numbers
// per channel, and none for a shortcut, whose bias merges with the one it is added to.
TEST(ZooCascades, ParametersOfNetworksOfImagesAreThePublishedOnes) {
    const std::vector<std::pair<const char*, std::int64_t>> published{{"alexnet", 61'100'840},
                                                                      {"vgg16", 138'357'544},
                                                                      {"squeezenet", 1'235'496},
                                                                      {"resnet18", 11'689'512 - 4'800 - 896},
                                                                      {"resnet50", 25'557'032 - 26'560 - 3'840},
                                                                      {"mobilenetv2", 3'504'872 - 17'056}};
    for (const auto& [name, parameters] : published) EXPECT_EQ(parameter_count(zoo_cascade(name)), parameters) << name;
    EXPECT_EQ(parameter_count(zoo_cascade("gpt2")), 124'439'808);
    EXPECT_EQ(parameter_count(zoo_cascade("llama-7b-prefill")), 6'738'415'616);
    EXPECT_EQ(parameter_count(zoo_cascade("llama-7b-decode")), 6'738'415'616);
}

// The separately mapped layers are in the cascade too, with as many multiply-accumulates.
TEST(ZooCascades, EveryNetworkOfTheZooIsOne) {
    for (const ZooEntry& entry : zoo_networks()) {
        ASSERT_TRUE(is_zoo_cascade(entry.name)) << entry.name;
        const Cascade cascade = zoo_cascade(entry.name);
        EXPECT_EQ(problem_with(cascade), "") << entry.name;
        std::int64_t contracted = 0;
        for (int i = 0; i < cascade.einsum_count(); ++i)
            if (cascade.einsums[i].kind == EinsumKind::contraction)
                contracted += operation_count(cascade.einsums[i].einsum) * repeats_of(cascade, i);
        std::int64_t mapped = 0;
        for (const Layer& one : zoo_network(entry.name).layers) mapped += one.repeats * operation_count(one.einsum);
        EXPECT_EQ(contracted, mapped) << entry.name;
    }
}

// MobileNetV2: 53 layers, an activation, bias or addition for each, and the pooling; by hand the words between the
// layers of one residual block.
TEST(ZooCascades, NetworksOfImagesHaveActivationsAdditionsAndPoolings) {
    const Cascade cascade = zoo_cascade("mobilenetv2", {{"batch", 2}});
    EXPECT_EQ(cascade.einsum_count(), 53 + 53 + 1);
    const CascadeEinsum& sum = cascade.einsums[find_einsum(cascade, "features.3.add")];
    EXPECT_EQ(sum.kind, EinsumKind::elementwise);
    ASSERT_EQ(sum.accesses.size(), 4U);  // the sums, the input, the bias, the result
    EXPECT_EQ(cascade.tensors[sum.accesses[1].tensor].name, "features.2.project");
    EXPECT_THAT(cascade.tensors[sum.accesses[3].tensor].shape, ElementsAre(2, 24, 56, 56));
    EXPECT_EQ(cascade.einsums[find_einsum(cascade, "features.3.depthwise.activation")].op, "Clip");
    EXPECT_EQ(cascade.einsums[find_einsum(cascade, "avgpool")].kind, EinsumKind::pooling);
    EXPECT_THAT(cascade.tensors[find_tensor(cascade, "classifier")].shape, ElementsAre(2, 1000, 1, 1));
    EXPECT_EQ(cascade.tensors[find_tensor(cascade, "classifier")].role, TensorRole::output);
    try {
        zoo_cascade("mobilenetv2", {}, Phase::decode);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.message(), HasSubstr("one of images: it has no phases"));
    }
}

// Concatenations are written in place: nothing moves, and every word has one writer.
TEST(ZooCascades, ConcatenationsMoveNothing) {
    for (const char* name : {"squeezenet", "densenet161", "yolov2"})
        for (const CascadeEinsum& one : zoo_cascade(name).einsums) EXPECT_NE(one.kind, EinsumKind::copy) << one.name;
    const Cascade dense = zoo_cascade("densenet161");
    const CascadeTensor& block = dense.tensors[find_tensor(dense, "block1")];
    EXPECT_THAT(block.shape, ElementsAre(1, 96 + 6 * 48, 56, 56));
    EXPECT_EQ(block.writers.size(), 7U);  // the pooling, and six layers
}

TEST(ZooCascades, NamesAreTakenAsPeopleWriteThem) {
    for (const auto& [written, name] : {std::pair{"Meta-Llama-3-8B", "llama3-8b"},
                                        {"llama3.1-8b", "llama3-8b"},
                                        {"meta-llama/Llama-3.1-70B-Instruct", "llama3-70b"},
                                        {"Llama-3.2-3B", "llama3.2-3b"},
                                        {"mistralai/Mistral-7B-v0.1", "mistral-7b"},
                                        {"Qwen/Qwen3-32B", "qwen3-32b"},
                                        {"openai/gpt-oss-120b", "gpt-oss-120b"},
                                        {"google/gemma-3-27b-it", "gemma3-27b"},
                                        {"gemma3:4b", "gemma3-4b"},
                                        {"gpt2", "gpt2"},
                                        {"gemma3", "gemma3"}})
        EXPECT_EQ(zoo_name_of(written), name);
    EXPECT_EQ(parameter_count(zoo_cascade("llama3.2-1b")), 1'235'814'400);
    EXPECT_EQ(parameter_count(zoo_cascade("llama3.2-3b")), 3'212'749'824);
    EXPECT_EQ(parameter_count(zoo_cascade("mistral-7b")), 7'241'732'096);
    EXPECT_EQ(parameter_count(zoo_cascade("qwen3-32b")), 32'762'123'264);
}

// Weight file sizes (model cards of openai/gpt-oss-*, google/gemma-3-*), less uncounted parts: of gpt-oss the biases of
// projections, experts and their choice, of Gemma 3 the vision part (a SigLIP tower of 416,866,032 and a projection of
// 1,152 x width with a norm of 1,152).
TEST(ZooCascades, ParametersOfGptOssAndGemma3AreThePublishedOnes) {
    const auto biases = [](std::int64_t blocks, std::int64_t experts) {
        return blocks * (64 * 64 + 2 * 8 * 64 + 2880 + experts + experts * 3 * 2880);
    };
    EXPECT_EQ(parameter_count(zoo_cascade("gpt-oss-20b")), 20'914'757'184 - biases(24, 32));
    EXPECT_EQ(parameter_count(zoo_cascade("gpt-oss-120b")), 116'829'156'672 - biases(36, 128));
    const auto sees = [](std::int64_t width) { return 416'866'032 + 1152 * width + 1152; };
    EXPECT_EQ(parameter_count(zoo_cascade("gemma3-1b")), 999'885'952);
    EXPECT_EQ(parameter_count(zoo_cascade("gemma3-4b")), 4'300'079'472 - sees(2560));
    EXPECT_EQ(parameter_count(zoo_cascade("gemma3-12b")), 12'187'325'040 - sees(3840));
    EXPECT_EQ(parameter_count(zoo_cascade("gemma3-27b")), 27'432'406'640 - sees(5376));
}

TEST(ZooCascades, BothPhasesHaveTheSameParameters) {
    for (const char* name :
         {"llama3-8b", "mixtral-8x7b", "deepseek-v3", "gpt3-175b", "mamba", "gpt-oss-20b", "gemma3-4b", "mistral-7b"})
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

// gpt-oss: 18 blocks over 128 tokens, 18 over all; eight heads of keys, eight queries for each.
TEST(ZooCascades, WindowsBoundWhatQueriesMeetAndWhatIsKept) {
    const auto cache = [](const Cascade& cascade, const char* name) {
        return cascade.tensors.at(static_cast<std::size_t>(find_tensor(cascade, name))).shape;
    };
    const Cascade decode = zoo_cascade("gpt-oss-120b", {{"batch", 2}, {"context", 8191}}, Phase::decode);
    EXPECT_EQ(layer(decode, "local_attention.scores"), batched_matmul(16, 8, 64, 128));
    EXPECT_EQ(layer(decode, "attention.scores"), batched_matmul(16, 8, 64, 8192));
    EXPECT_THAT(cache(decode, "local_K"), ElementsAre(2, 8, 128, 64));
    EXPECT_THAT(cache(decode, "V"), ElementsAre(2, 8, 8192, 64));
    EXPECT_EQ(repeats_of(decode, find_einsum(decode, "local_attention.mix")), 18);
    EXPECT_EQ(repeats_of(decode, find_einsum(decode, "attention.mix")), 18);
    // Fewer tokens than a window: all are attended to.
    const Cascade early = zoo_cascade("gpt-oss-20b", {{"context", 99}}, Phase::decode);
    EXPECT_EQ(layer(early, "local_attention.scores"), layer(early, "attention.scores"));
    // A prompt of 8 windows: each attends to itself and the previous one; one is kept.
    const Cascade prefill = zoo_cascade("gpt-oss-20b", {{"sequence", 1024}});
    EXPECT_EQ(layer(prefill, "local_attention.scores"), batched_matmul(8 * 8, 8 * 128, 64, 256));
    EXPECT_EQ(layer(prefill, "local_attention.output"), layer(prefill, "attention.output"));
    EXPECT_THAT(cache(prefill, "local_K"), ElementsAre(1, 8, 128, 64));
    // A window of all blocks.
    const Cascade mistral = zoo_cascade("mistral-7b", {{"context", 100'000}}, Phase::decode);
    EXPECT_EQ(layer(mistral, "attention.scores"), batched_matmul(8, 4, 128, 4096));
    EXPECT_EQ(find_einsum(mistral, "local_attention.scores"), -1);
}

TEST(ZooCascades, ExpertsRunAsTokensChooseThem) {
    // One token chooses two of eight; 2048 tokens choose all, 512 times each.
    const Cascade one = zoo_cascade("mixtral-8x7b", {}, Phase::decode);
    EXPECT_EQ(layer(one, "experts.up"), batched_matmul(2, 1, 4096, 14336));
    EXPECT_EQ(layer(zoo_cascade("mixtral-8x7b"), "experts.up"), batched_matmul(8, 512, 4096, 14336));
    // 32 tokens, each choosing 8 of 256, reach 256 (1 - (31 / 32)^32) = 163.3 of them on average; two tokens 15.75.
    const auto used = [](std::int64_t batch) {
        const Einsum up = layer(zoo_cascade("deepseek-v3", {{"batch", batch}}, Phase::decode), "experts.up");
        return std::ranges::find(up.dimensions, "G", &Dimension::name)->extent;
    };
    EXPECT_EQ(used(1), 8);
    EXPECT_EQ(used(2), 16);
    EXPECT_EQ(used(32), 163);
    EXPECT_EQ(used(4096), 256);
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
