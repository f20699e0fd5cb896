#include "native/models/language_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tilewright::native::language_model_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kQwen =
    R"({"model_type": "qwen3", "hidden_size": 5120, "intermediate_size": 25600, "num_attention_heads": 64,
 "num_hidden_layers": 64, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936, "rope_scaling": null})";
const std::string kLlama =
    R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_attention_heads": 32,
 "num_hidden_layers": 16, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": true})";

struct Read {
    DecoderSizes sizes;
    std::vector<std::string> notes;
};

Read read(const std::string& text) {
    Read found;
    found.sizes = read_language_model(yaml::parse_text(text, "config.json"), found.notes);
    return found;
}

std::string refusal(std::string text, const std::string& old, const std::string& by) {
    text.replace(text.find(old), old.size(), by);
    try {
        read(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

// Published: 1,235,814,400 parameters and 32,768 bytes of cache a token in 16 bits; 32,762,123,264 and 262,144.
TEST(LanguageModel, ParametersAndCachesAreThePublishedOnes) {
    struct Published {
        const std::string& text;
        std::int64_t parameters;
        std::int64_t cache_words;
    };
    for (const auto& [text, parameters, cache_words] :
         {Published{kLlama, 1'235'814'400, 16'384}, Published{kQwen, 32'762'123'264, 131'072}}) {
        const Read found = read(text);
        EXPECT_THAT(found.notes, IsEmpty());
        EXPECT_EQ(parameter_count(decoder_cascade("own", found.sizes, {.batch = 1, .tokens = 4})), parameters);
        const Cascade decode = decoder_cascade("own", found.sizes, {.batch = 2, .tokens = 1, .context = 9});
        std::int64_t words = 0;
        for (const CascadeTensor& tensor : decode.tensors)
            if (tensor.role == TensorRole::cache) words += words_of(tensor) * found.sizes.blocks;
        EXPECT_EQ(words, 2 * 10 * cache_words);
    }
}

// As published, cut to the keys read.
const std::string kGptOss =
    R"({"model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880, "num_hidden_layers": 4,
 "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "num_local_experts": 32, "num_experts_per_tok": 4,
 "experts_per_token": 4, "vocab_size": 201088, "sliding_window": 128, "attention_bias": true, "layer_types":
 ["sliding_attention", "full_attention", "sliding_attention", "full_attention"], "swiglu_limit": 7.0,
 "quantization_config": {"quant_method": "mxfp4"}, "tie_word_embeddings": false})";
const std::string kGemma =
    R"({"model_type": "gemma3", "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
 "model_type": "gemma3_text", "num_hidden_layers": 34, "sliding_window": 1024}, "vision_config": {"hidden_size": 1152}})";

TEST(LanguageModel, GptOssHasExpertsWindowsAndSinks) {
    const Read found = read(kGptOss);
    EXPECT_EQ(found.sizes.experts, 32);
    EXPECT_EQ(found.sizes.chosen, 4);
    EXPECT_EQ(found.sizes.local_blocks, 2);
    EXPECT_EQ(found.sizes.window, 128);
    EXPECT_TRUE(found.sizes.sinks);
    EXPECT_THAT(found.notes,
                ElementsAre(HasSubstr("biases of queries"), HasSubstr("biases of experts"), HasSubstr("MXFP4")));
    std::string whole = kGptOss;
    whole.replace(whole.find("\"num_hidden_layers\": 4"), 22, "\"num_hidden_layers\": 24");
    whole.replace(whole.find("\"layer_types\""), whole.find("], ") + 3 - whole.find("\"layer_types\""), "");
    EXPECT_EQ(parameter_count(decoder_cascade("own", read(whole).sizes, {})),
              parameter_count(zoo_cascade("gpt-oss-20b")));
    EXPECT_EQ(read(whole).sizes.local_blocks, 12);
    EXPECT_THAT(refusal(kGptOss, "\"full_attention\", ", ""),
                HasSubstr("has 3 layers of the 4 of 'num_hidden_layers'"));
    EXPECT_THAT(refusal(kGptOss, "full_attention", "linear_attention"), HasSubstr("found 'linear_attention'"));
    EXPECT_THAT(refusal(kGptOss, "_tok\": 4", "_tok\": 33"), HasSubstr("is fewer than the 33 experts"));
}

TEST(LanguageModel, Gemma3LeavesOutWhatItsProgramHas) {
    const Read found = read(kGemma);
    EXPECT_EQ(parameter_count(decoder_cascade("own", found.sizes, {})), parameter_count(zoo_cascade("gemma3-4b")));
    EXPECT_EQ(found.sizes.local_blocks, 29);
    EXPECT_THAT(found.notes, ElementsAre(HasSubstr("what sees is not")));
}

TEST(LanguageModel, WindowsFollowFromTheFamily) {
    std::string mistral = kLlama;
    mistral.replace(mistral.find("llama"), 5, "mistral");
    EXPECT_EQ(read(mistral).sizes.local_blocks, 0);
    mistral.replace(mistral.find("\"hidden_size\""), 0, "\"sliding_window\": 4096, ");
    EXPECT_EQ(read(mistral).sizes.local_blocks, 16);
    EXPECT_EQ(read(mistral).sizes.window, 4096);
    std::string qwen = kQwen;
    qwen.replace(qwen.find("\"rope_scaling\": null"), 20, "\"sliding_window\": 4096, \"max_window_layers\": 60");
    EXPECT_EQ(read(qwen).sizes.local_blocks, 0);
    qwen.replace(qwen.find("\"max_window"), 0, "\"use_sliding_window\": true, ");
    EXPECT_EQ(read(qwen).sizes.local_blocks, 4);
}

// As published, cut to the keys read.
const std::string kDeepSeek =
    R"({"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432, "moe_intermediate_size": 2048,
 "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128, "n_routed_experts": 256,
 "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 3, "moe_layer_freq": 1, "q_lora_rank": 1536,
 "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128, "vocab_size": 129280})";

TEST(LanguageModel, LatentAttentionIsThatOfTheZoo) {
    const DecoderSizes sizes = read(kDeepSeek).sizes;
    EXPECT_EQ(sizes, zoo_decoder("deepseek-v3"));
    EXPECT_EQ(parameter_count(decoder_cascade("own", sizes, {})), parameter_count(zoo_cascade("deepseek-v3")));
    EXPECT_THAT(refusal(kDeepSeek, "\"kv_lora_rank\": 512, ", ""), HasSubstr("the key 'kv_lora_rank' is missing"));
    EXPECT_THAT(refusal(kDeepSeek, "\"moe_layer_freq\": 1", "\"moe_layer_freq\": 2"),
                HasSubstr("experts in some blocks only are not read"));
    EXPECT_THAT(refusal(kDeepSeek, "_replace\": 3", "_replace\": 62"), HasSubstr("expected a number of blocks"));
    std::string lite = kDeepSeek;  // without a latent of the queries
    lite.replace(lite.find("1536"), 4, "null");
    const Cascade decode = decoder_cascade("own", read(lite).sizes, {.batch = 1, .tokens = 1, .context = 9});
    std::int64_t words = 0;
    for (const CascadeTensor& tensor : decode.tensors)
        if (tensor.role == TensorRole::cache) words += words_of(tensor);
    EXPECT_EQ(words, 2 * 10 * 576);  // a plain block and one of experts
}

TEST(LanguageModel, SharedExpertsStandBesideChosenOnes) {
    std::string mixture = kQwen;
    mixture.replace(mixture.find("qwen3"), 5, "qwen2_moe");
    mixture.replace(mixture.find("\"rope_scaling\": null"), 20,
                    "\"num_experts\": 64, \"num_experts_per_tok\": 8, \"moe_intermediate_size\": 2560, "
                    "\"shared_expert_intermediate_size\": 20480");
    const DecoderSizes sizes = read(mixture).sizes;
    EXPECT_EQ(sizes.shared_hidden, 20480);
    DecoderSizes without = sizes;
    without.shared_hidden = 0;
    EXPECT_EQ(parameter_count(decoder_cascade("own", sizes, {})),
              parameter_count(decoder_cascade("own", without, {})) + 64LL * 3 * 5120 * 20480);
}

TEST(LanguageModel, NamesAreReadAsPeopleWriteThem) {
    std::vector<std::string> notes;
    const std::optional<DecoderSizes> sizes = published_model("Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", notes);
    ASSERT_TRUE(sizes);
    EXPECT_EQ(sizes->blocks, 94);
    EXPECT_EQ(published_model("qwen3-235b-a22b", notes), sizes);
    EXPECT_EQ(published_model("deepseek-ai/DeepSeek-R1-0528", notes), zoo_decoder("deepseek-v3"));
    for (const std::string& name : published_models()) {
        EXPECT_TRUE(published_model(name, notes)) << name;
        EXPECT_FALSE(is_zoo_cascade(zoo_name_of(name))) << name << ": the zoo's own comes first";
    }
}

TEST(LanguageModel, WhatIsNotReadIsRefused) {
    EXPECT_THAT(refusal(kQwen, "qwen3", "falcon"),
                HasSubstr("config.json:1:17: error: models of the family 'falcon' are not read"));
    EXPECT_THAT(refusal(kQwen, "\"rope_scaling\": null", "\"num_experts\": 128"),
                HasSubstr("experts of the family 'qwen3' are not read"));
    EXPECT_THAT(refusal(kQwen, "\"hidden_size\": 5120, ", ""), HasSubstr("the key 'hidden_size' is missing"));
    EXPECT_THAT(refusal(kQwen, "\"num_key_value_heads\": 8", "\"num_key_value_heads\": 7"), HasSubstr("do not divide"));
    EXPECT_THAT(refusal(kLlama, "2048", "2049"), HasSubstr("is no multiple of the heads"));
}

}  // namespace
}  // namespace tilewright::native::language_model_test
