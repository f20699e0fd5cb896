#include "native/models/language_model.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace tilewright::native {
namespace {

bool is_said(const yaml::Node& root, std::string_view key) {
    const yaml::Node* node = root.find(key);
    return node != nullptr && !node->is_null();
}

bool is_true(const yaml::Node& root, std::string_view key, bool otherwise = false) {
    return is_said(root, key) ? root.at(key).boolean() : otherwise;
}

void refuse_other_families(const yaml::Node& root) {
    static const std::vector<std::string> kFamilies{"llama", "mistral", "qwen2", "qwen3"};
    if (is_said(root, "model_type") && std::ranges::find(kFamilies, root.at("model_type").text()) == kFamilies.end())
        root.at("model_type")
            .fail(ErrorCode::unsupported, "models of the family '" + root.at("model_type").text() +
                                              "' are not read; those of " + list_words(kFamilies) + " are");
    for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts"})
        if (is_said(root, key) && root.at(key).integer() > 1)
            root.at(key).fail(
                ErrorCode::unsupported,
                std::string("'") + key +
                    "': experts are not read of such a file; mixtral-8x7b and deepseek-v3 are in the zoo");
}

void note_uncounted(const yaml::Node& root, bool biased, std::vector<std::string>& notes) {
    if (is_said(root, "sliding_window") && is_true(root, "use_sliding_window", true))
        notes.push_back("sliding_window of " + root.at("sliding_window").text() +
                        " tokens is not counted: attention is to all tokens of the context, and so is the cache");
    if (biased) notes.emplace_back("biases of queries, keys and values are not counted");
    if (is_true(root, "mlp_bias")) notes.emplace_back("mlp_bias is not counted");
}

}  // namespace

DecoderSizes read_language_model(const yaml::Node& root, std::vector<std::string>& notes) {
    refuse_other_families(root);
    const std::string family = is_said(root, "model_type") ? root.at("model_type").text() : "llama";
    DecoderSizes sizes;
    sizes.width = root.at("hidden_size").positive();
    sizes.hidden = root.at("intermediate_size").positive();
    sizes.blocks = root.at("num_hidden_layers").positive();
    sizes.query_heads = root.at("num_attention_heads").positive();
    sizes.vocabulary = root.at("vocab_size").positive();
    sizes.kv_heads =
        is_said(root, "num_key_value_heads") ? root.at("num_key_value_heads").positive() : sizes.query_heads;
    if (sizes.query_heads % sizes.kv_heads != 0)
        root.at("num_key_value_heads")
            .fail(ErrorCode::bad_value,
                  "does not divide the " + std::to_string(sizes.query_heads) + " heads of queries");
    if (!is_said(root, "head_dim") && sizes.width % sizes.query_heads != 0)
        root.at("hidden_size").fail(ErrorCode::bad_value, "is no multiple of the heads, and there is no 'head_dim'");
    sizes.head = is_said(root, "head_dim") ? root.at("head_dim").positive() : sizes.width / sizes.query_heads;
    sizes.tied = is_true(root, "tie_word_embeddings");
    sizes.norms_heads = family == "qwen3";
    note_uncounted(root, family == "qwen2" || is_true(root, "attention_bias"), notes);
    return sizes;
}

}  // namespace tilewright::native
