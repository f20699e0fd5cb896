// Reads the published config.json of language models: sizes only. Families: Llama, Mistral, Mixtral, Qwen2 and 3 (dense
// and mixtures), gpt-oss, Gemma, Phi-3, MiniMax-M2, DeepSeek-V2 and -V3, Kimi-K2.
//
//     {"model_type": "qwen3", "hidden_size": 5120, "intermediate_size": 25600, "num_hidden_layers": 64,
//      "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936,
//      "tie_word_embeddings": false}
//
// Defaults: head_dim is hidden_size / num_attention_heads, num_key_value_heads the number of heads, tie_word_embeddings
// false; for Gemma 3 256, 4 (of 8 heads) and true, and vocab_size 262208, as in its authors' program. Windowed blocks
// follow from layer_types, else from the family.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workload/zoo/cascades.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// `notes`: a sentence per uncounted property that changes the work. Throws InputError at its place: missing_key;
/// bad_value for inconsistent sizes; unsupported for an unknown family or kind of layers.
DecoderSizes read_language_model(const yaml::Node& root, std::vector<std::string>& notes);

/// A model of data/models by a name as people write it ("Qwen/Qwen3-235B-A22B-FP8"); empty for an unknown one.
std::optional<DecoderSizes> published_model(const std::string& written, std::vector<std::string>& notes);

/// First names of all of them.
std::vector<std::string> published_models();

}  // namespace tilewright::native
