#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "llm/attention.hpp"
#include "llm/footprint.hpp"
#include "llm/serving.hpp"
#include "llm/split.hpp"

namespace tilewright::llm::llm_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Point decode_of(std::int64_t batch, std::int64_t context) { return {Phase::decode, batch, 1, context, 1}; }

// From each model's published config.json, written out here, independent of the zoo.
struct Published {
    const char* model;
    double parameters;
    double cache_words_of_a_token;
};

double llama_parameters() {
    const double d = 4096;
    const double hidden = 14336;
    const double of_block = 2 * d * d + 2 * d * (8 * 128) + 3 * d * hidden + 2 * d;
    return 2 * 128256 * d + 32 * of_block + d;
}

double mixtral_parameters() {
    const double d = 4096;
    const double of_block = 2 * d * d + 2 * d * (8 * 128) + 8 * 3 * d * 14336 + 8 * d + 2 * d;
    return 2 * 32000 * d + 32 * of_block + d;
}

double deepseek_parameters() {
    const double d = 7168;
    const double queries = d * 1536 + 1536 + 1536 * 128 * (128 + 64);
    const double keys_and_values = d * (512 + 64) + 512 + 512 * 128 * (128 + 128);
    const double attention = queries + keys_and_values + 128 * 128 * d;
    const double experts = 256 * d + 256 + (256 + 1) * 3 * d * 2048;
    return 2 * 129280 * d + 61 * (attention + 2 * d) + 3 * 3 * d * 18432 + 58 * experts + d;
}

TEST(Footprint, IsThatOfThePublishedConfigurations) {
    const std::vector<Published> models{{"llama3-8b", llama_parameters(), 2.0 * 32 * 8 * 128},
                                        {"mixtral-8x7b", mixtral_parameters(), 2.0 * 32 * 8 * 128},
                                        {"deepseek-v3", deepseek_parameters(), 61.0 * (512 + 64)}};
    for (const Published& one : models) {
        const Footprint decode = footprint_of(cascade_at(one.model, decode_of(3, 999)), 16);
        EXPECT_EQ(decode.weight_bytes, 2 * one.parameters) << one.model;
        EXPECT_EQ(decode.cache_bytes, 2 * one.cache_words_of_a_token * 3 * 1000) << one.model;
        const Footprint prefill = footprint_of(cascade_at(one.model, {Phase::prefill, 3, 1000, 0, 1}), 8);
        EXPECT_EQ(2 * prefill.weight_bytes, decode.weight_bytes) << one.model;
        EXPECT_EQ(2 * prefill.cache_bytes, decode.cache_bytes) << one.model;
    }
}

// By hand: 8,030,261,248 weights of 17/4 bits, of which 32 * 2 + 1 norms of 4,096 have 16 bits; a token keeps 65,536
// words of 8.5 bits.
TEST(Footprint, OfWordsInBlocks) {
    Cascade cascade = cascade_at("llama3-8b", decode_of(3, 999));
    const auto all = set_widths(cascade, {{"*", "Weights", 4, {32, 8}}, {"*", "Cache", 8, {32, 16}}});
    const Footprint found = footprint_of(cascade, 16, all);
    EXPECT_EQ(found.weight_bytes, 8'030'261'248.0 * 17.0 / 32.0);
    EXPECT_EQ(found.cache_bytes, 65'536.0 * 3000.0 * 8.5 / 8.0);
    const auto norms = set_widths(cascade, {{"*", "Weights", 4, {32, 8}}, {"*norm*", "Weights", 16}});
    EXPECT_EQ(footprint_of(cascade, 16, norms).weight_bytes - found.weight_bytes, 65.0 * 4096.0 * (16.0 - 4.25) / 8.0);
}

// Rows of 128 words: one whole block of 100 words and one of 28, each with a scale.
TEST(Footprint, CountsAWholeScaleAtTheEndOfARow) {
    Cascade cascade = cascade_at("llama3-8b", decode_of(1, 9));
    const auto blocks = set_widths(cascade, {{"*", "Cache", 8, {100, 16}}});
    EXPECT_EQ(footprint_of(cascade, 16, blocks).cache_bytes, 10.0 * 512.0 * (128.0 * 8.0 + 2.0 * 16.0) / 8.0);
}

std::string width_refused(const TensorWidth& width) {
    Cascade cascade = cascade_at("llama3-8b", decode_of(1, 9));
    try {
        set_widths(cascade, {width});
    } catch (const InputError& error) {
        return error.message();
    }
    return "";
}

TEST(Widths, AreOfWeightsAndCachesByRoleOrName) {
    EXPECT_EQ(width_refused({"mlp.*", "Weights", 4}), "");
    EXPECT_EQ(width_refused({"*", "head", 8}), "");
    EXPECT_EQ(width_refused({"attention.*", "Cache", 8}), "");
    EXPECT_THAT(width_refused({"*", "logits", 8}), HasSubstr("uses no weight or cache 'logits'"));
    EXPECT_THAT(width_refused({"mlp.*", "Cache", 8}),
                HasSubstr("'mlp.*' of llama3-8b uses no weight or cache 'Cache'"));
    EXPECT_THAT(width_refused({"*", "Weight", 8}), HasSubstr("did you mean 'Weights'?"));
    EXPECT_THAT(width_refused({"nothing", "Weights", 8}), HasSubstr("nothing"));
}

TEST(Footprint, OfAModelWithoutContextDoesNotGrowWithIt) {
    EXPECT_EQ(footprint_of(cascade_at("mamba", decode_of(1, 10)), 16),
              footprint_of(cascade_at("mamba", decode_of(1, 100000)), 16));
}

std::vector<std::string> attention_names(const Cascade& cascade) {
    const std::vector<bool> marked = attention_einsums(cascade);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < marked.size(); ++i)
        if (marked[i]) names.push_back(cascade.einsums[i].name);
    return names;
}

TEST(Attention, IsScoresSoftmaxAndMix) {
    EXPECT_THAT(attention_names(cascade_at("llama3-8b", decode_of(1, 7))),
                ElementsAre("attention.scores", "attention.softmax.statistics", "attention.softmax", "attention.mix"));
    // The choice of experts has an exponential, too, but no softmax over keys.
    EXPECT_EQ(attention_names(cascade_at("mixtral-8x7b", decode_of(1, 7))).size(), 4U);
    EXPECT_THAT(attention_names(cascade_at("deepseek-v3", {Phase::prefill, 1, 8, 0, 1})),
                testing::Contains("attention.scores.rotated"));
    EXPECT_THAT(attention_names(cascade_at("mamba", decode_of(1, 7))), IsEmpty());
}

TEST(Attention, OfTheUsualFormHasItsSizes) {
    const std::vector<Attention> found = plain_attentions(cascade_at("llama3-8b", {Phase::prefill, 2, 100, 20, 1}));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().groups, 2 * 8);
    EXPECT_EQ(found.front().rows, 4 * 100);
    EXPECT_EQ(found.front().keys, 120);
    EXPECT_EQ(found.front().width, 128);
    EXPECT_TRUE(found.front().has_cache);
    // Scores of two parts, and keys wider than values.
    EXPECT_THAT(plain_attentions(cascade_at("deepseek-v3", {Phase::prefill, 1, 8, 0, 1})), IsEmpty());
    EXPECT_THAT(plain_attentions(cascade_at("deepseek-v3", decode_of(1, 8))), IsEmpty());
}

TEST(Collective, TakesWhatTheFormulasSay) {
    const Links links{1e5, 2.0, 10.0};
    // 3 steps to sum up and 3 to hand out, each 2 us and a quarter of the bytes at 100,000 bytes a us.
    EXPECT_DOUBLE_EQ(ring_us(1e6, 4, links), 6 * (2 + 2.5));
    // Up and down a tree of depth 2 (of 5 devices: 3), all bytes in each step.
    EXPECT_DOUBLE_EQ(tree_us(1e6, 4, links), 4 * (2 + 10.0));
    EXPECT_DOUBLE_EQ(tree_us(1e6, 5, links), 6 * (2 + 10.0));
    EXPECT_DOUBLE_EQ(all_reduce_us(1e6, 4, links, Collective::best), 27.0);
    EXPECT_DOUBLE_EQ(all_reduce_us(1.0, 8, links, Collective::best), tree_us(1.0, 8, links));
    EXPECT_DOUBLE_EQ(all_reduce_us(1e6, 1, links, Collective::tree), 0.0);
    EXPECT_DOUBLE_EQ(all_reduce_pj(1e6, 4, links), 6e7);
}

Shared shared(const std::string& model, const Point& point, std::int64_t devices) {
    auto answer = shared_by(cascade_at(model, point), devices);
    EXPECT_TRUE(std::holds_alternative<Shared>(answer)) << std::get<std::string>(answer);
    return std::get<Shared>(std::move(answer));
}

std::vector<std::string> sums_of(const Shared& shared) {
    std::vector<std::string> names;
    for (const SummedTensor& sum : shared.sums)
        names.push_back(shared.part.tensors[sum.tensor].name + " x" + std::to_string(sum.repeats));
    return names;
}

TEST(Split, OfADecoderSumsTwiceInEveryBlock) {
    EXPECT_THAT(sums_of(shared("llama3-8b", decode_of(4, 99), 4)), ElementsAre("attended x32", "mlp x32"));
    EXPECT_THAT(sums_of(shared("gpt3-175b", decode_of(4, 99), 8)), ElementsAre("attended x96", "mlp x96"));
    // The experts' results are summed after the tokens' shares.
    EXPECT_THAT(sums_of(shared("mixtral-8x7b", decode_of(4, 99), 2)), ElementsAre("attended x32", "mlp x32"));
    EXPECT_THAT(sums_of(shared("deepseek-v3", decode_of(4, 99), 8)),
                ElementsAre("dense_attended x3", "dense_mlp x3", "attended x58", "mlp x58", "shared x58"));
}

// Multiply-accumulates of contractions with weights and caches: each on one device, or on all of them.
TEST(Split, LosesAndDoublesNoWork) {
    for (const char* model : {"llama3-8b", "qwen3-8b", "mixtral-8x7b", "gpt3-175b", "deepseek-v3", "mamba"}) {
        const Cascade whole = cascade_at(model, decode_of(2, 63));
        const Shared parts = shared(model, decode_of(2, 63), 2);
        int cut = 0;
        for (std::size_t i = 0; i < whole.einsums.size(); ++i) {
            const std::int64_t all = operation_count(whole.einsums[i].einsum);
            const std::int64_t one = operation_count(parts.part.einsums[i].einsum);
            EXPECT_TRUE(one * 2 == all || one == all) << model << " " << whole.einsums[i].name;
            cut += one < all ? 1 : 0;
        }
        EXPECT_GE(cut, 8) << model;
    }
}

TEST(Split, CutsHeadsHiddenRanksAndTheVocabulary) {
    const Cascade part = shared("llama3-8b", decode_of(4, 99), 4).part;
    const auto shape = [&](const char* tensor) {
        return part.tensors.at(static_cast<std::size_t>(find_tensor(part, tensor))).shape;
    };
    EXPECT_THAT(shape("K"), ElementsAre(4, 2, 100, 128));
    EXPECT_THAT(shape("down_w"), ElementsAre(14336 / 4, 4096));
    EXPECT_THAT(shape("head"), ElementsAre(128256 / 4, 4096));
    EXPECT_THAT(shape("table"), ElementsAre(128256, 4096));  // every device looks up its rows
    // GPT-3's vocabulary of 50,257 words is indivisible: every device has all of it.
    const Cascade odd = shared("gpt3-175b", decode_of(4, 99), 2).part;
    EXPECT_THAT(odd.tensors.at(static_cast<std::size_t>(find_tensor(odd, "table"))).shape, ElementsAre(50257, 12288));
    // The latent cache has no heads.
    const Footprint whole = footprint_of(cascade_at("deepseek-v3", decode_of(4, 99)), 16);
    EXPECT_EQ(footprint_of(shared("deepseek-v3", decode_of(4, 99), 8).part, 16).cache_bytes, whole.cache_bytes);
}

TEST(Split, SaysWhatDevicesDoNotDivide) {
    const auto refused = shared_by(cascade_at("llama3-8b", decode_of(1, 9)), 16);
    ASSERT_TRUE(std::holds_alternative<std::string>(refused));
    EXPECT_THAT(std::get<std::string>(refused),
                HasSubstr("rank 'h' of 'attention.query' has 8, which 16 devices do not"));
    EXPECT_EQ(shared("llama3-8b", decode_of(1, 9), 1).part, cascade_at("llama3-8b", decode_of(1, 9)));
}

}  // namespace
}  // namespace tilewright::llm::llm_test
