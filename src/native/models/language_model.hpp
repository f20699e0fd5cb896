// Reads the config.json that language models of the Llama family, gpt-oss and Gemma 3 are published with: sizes only.
//
//     {"model_type": "qwen3", "hidden_size": 5120, "intermediate_size": 25600, "num_hidden_layers": 64,
//      "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151936,
//      "tie_word_embeddings": false}
//
// Left out: head_dim is hidden_size / num_attention_heads, num_key_value_heads as many as heads, tie_word_embeddings
// false; of Gemma 3 they are 256, 4 (of 8 heads) and true, and vocab_size is 262208, as its authors' program has it.
// Which blocks meet a window of tokens only follows from layer_types, else from the family.
#pragma once

#include <string>
#include <vector>

#include "workload/zoo/cascades.hpp"
#include "yaml/node.hpp"

namespace tilewright::native {

/// `notes`: gets what the file says that changes the work and is not counted, a sentence each. Throws InputError at its
/// place: missing_key; bad_value for sizes that do not fit; unsupported for a family or a kind of layers that is not
/// read.
DecoderSizes read_language_model(const yaml::Node& root, std::vector<std::string>& notes);

}  // namespace tilewright::native
