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

// As published: 1,235,814,400 parameters and 32,768 bytes of cache a token in 16 bits; 32,762,123,264 and 262,144.
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

TEST(LanguageModel, WhatIsNotCountedIsNamed) {
    std::string text = kQwen;
    text.replace(text.find("\"rope_scaling\": null"), 20, "\"sliding_window\": 4096");
    EXPECT_THAT(read(text).notes, ElementsAre(HasSubstr("sliding_window of 4096 tokens is not counted")));
    EXPECT_THAT(refusal(kQwen, "qwen3", "gpt_oss"),
                HasSubstr("config.json:1:17: error: models of the family 'gpt_oss' are not read"));
    EXPECT_THAT(refusal(kQwen, "\"rope_scaling\": null", "\"num_experts\": 128"), HasSubstr("experts are not read"));
    EXPECT_THAT(refusal(kQwen, "\"hidden_size\": 5120, ", ""), HasSubstr("the key 'hidden_size' is missing"));
    EXPECT_THAT(refusal(kQwen, "\"num_key_value_heads\": 8", "\"num_key_value_heads\": 7"),
                HasSubstr("does not divide"));
    EXPECT_THAT(refusal(kLlama, "2048", "2049"), HasSubstr("is no multiple of the heads"));
}

}  // namespace
}  // namespace tilewright::native::language_model_test
