// The parts of language models, as cascade text (cascade/text.hpp).
//
// Dimensions: b batch, m tokens computed now, l tokens attended to, h heads of keys and values, g query heads for each
// of them, e width of a head, d width of the model, f width inside a feed-forward layer, v vocabulary. "@C" stands for
// the earlier tokens, "@Z" for the last computed one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workload/cascade/cascade.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::zoo {

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

/// How much is computed.
struct Tokens {
    std::int64_t batch = 1;
    std::int64_t now = 1;
    std::int64_t before = 0;
};

/// Chosen experts, and tokens per expert.
struct Experts {
    std::int64_t in_use = 1;
    std::int64_t tokens_each = 1;
};

/// Expectation if every token chooses `chosen` of `all` uniformly: all (1 - (1 - chosen / all) ^ tokens), to the
/// nearest integer, with equal shares of tokens. Throws OverflowError.
Experts mean_experts(std::int64_t all, std::int64_t chosen, const Tokens& tokens);

/// RMS norm: `to` = `from` (of dimensions `dims`, the last one normalised).
std::string rms_norm(const std::string& name, const std::string& from, const std::string& to, const std::string& dims);
std::string layer_norm(const std::string& name, const std::string& from, const std::string& to,
                       const std::string& dims);
/// Scores of `q` with cache %K, softmax, mix of cache %V: `%mixed`. Queries are q[b,m,h,g,e]. Own names have a mark:
/// prefixed().
std::string attention_core(const std::string& q);
/// The same with separate keys and values per head: q[b,m,h,e].
std::string attention_core_of_heads(const std::string& q);
/// up, gate, activation(gate) * up, down: `%mlp`, from `from`[b,m,d].
std::string gated_mlp(const std::string& from, const std::string& activation);
/// With a block's prefix in place of "%": names are unique in a cascade.
std::string prefixed(std::string text, const std::string& prefix);
/// The head for the last token of `from`[b,m,d], after an RMS norm; weights `head`[v,d].
std::string last_token_head(const std::string& from, const std::string& head);

/// Reads a model's text; fills in "@C" and "@Z", and the sizes b, m and l (if used).
Cascade model(const std::string& name, std::string text, const Tokens& tokens, Sizes sizes);

DecoderSizes deepseek_v3_sizes();
/// With `sizes.latent`. `decodes`: keys and values stay latent.
Cascade latent_decoder(const std::string& name, const DecoderSizes& sizes, const Tokens& tokens, bool decodes);
Cascade deepseek_v3_prefill(const Tokens& tokens);
Cascade deepseek_v3_decode(const Tokens& tokens);
Cascade gpt3_175b(const Tokens& tokens);
Cascade gpt2_cascade(const Tokens& tokens);
Cascade mamba(const Tokens& tokens);
Cascade bert_base_cascade(const Tokens& tokens);
Cascade vit_b16(const Tokens& tokens);

}  // namespace tilewright::zoo
