// DeepSeek-V2 and -V3 and their like: latent attention, experts behind plain blocks. Sizes: config.json of
// deepseek-ai/DeepSeek-V3; without the second-token prediction module. Parameters are pinned in cascades_test.cpp.
//
// Keys and values come from a latent vector (of 512 words), c, beside (64) words of a rotated key common to all heads;
// these 576 words are the cache. Prefill makes every head's keys and values from it. Decode applies the corresponding
// matrices to the queries and to the mixed latent instead, and reads the cache as it is.
#include "workload/zoo/cascade_parts.hpp"

namespace tilewright::zoo {
namespace {

// Query words: e for the latent part, r for the rotated one. c: the latent, j: both together. "@V" stands for the words
// of a value, "@L" and "@P" for those before the rotated ones in the cache and in a query, "@H" for the hidden rank of
// the shared experts.
std::string latent_projections(const std::string& from, const LatentSizes& latent) {
    const std::string query = latent.query_rank == 0
                                  ? "weight %q_w; %attention.query: %q_plain[b,m,h,i] += %normed[b,m,d] * %q_w[d,h,i];"
                                  : R"(
        weight %qa_w, %qb_w;
        %attention.query.down: %qa[b,m,u] += %normed[b,m,d] * %qa_w[d,u];
    )" + rms_norm("%attention.query.norm", "%qa", "%qn", "b,m,u") +
                                        R"(
        %attention.query: %q_plain[b,m,h,i] += %qn[b,m,u] * %qb_w[u,h,i];
)";
    return rms_norm("%attention.norm", from, "%normed", "b,m,d") + R"(
        weight %kva_w;
        cache %latent[b,l,j];
        tensor %kv[b,m,j], %q_plain[b,m,h,i];
    )" + query +
           R"(
        %attention.latent: %kv[b,m,j] += %normed[b,m,d] * %kva_w[d,j];
        weight %c_gain;
        %attention.latent.norm.statistics: %c_scale[b,m] += square(%kv[b,m,c]);
        %attention.latent.norm: %latent[b,m+@C,c] = %kv[b,m,c] * %c_scale[b,m] * %c_gain[c];
        %attention.key.rotate: %latent[b,m+@C,r+@L] = rotate(%kv[b,m,r+@L]);
    )";
}

constexpr const char* kPrefillAttention = R"(
    weight %kb_w, %vb_w;
    %attention.query.rotate: %q_turned[b,m,h,r] = rotate(%q_plain[b,m,h,r+@P]);
    %attention.key: %keys[b,h,l,e] += %latent[b,l,c] * %kb_w[c,h,e];
    %attention.value: %values[b,h,l,@V] += %latent[b,l,c] * %vb_w[c,h,@V];
    %attention.scores: %part[b,h,m,l] += %q_plain[b,m,h,e] * %keys[b,h,l,e];
    %attention.scores.rotated: %turned[b,h,m,l] += %q_turned[b,m,h,r] * %latent[b,l,r+@L];
    %attention.scores.add: %scores[b,h,m,l] = %part[b,h,m,l] + %turned[b,h,m,l];
    %attention.softmax.statistics: online %top[b,h,m], %total[b,h,m] += softmax(%scores[b,h,m,l]);
    %attention.softmax: %shares[b,h,m,l] = exp(%scores[b,h,m,l] - %top[b,h,m]) * %total[b,h,m];
    %attention.mix: %mixed[b,m,h,@V] += %shares[b,h,m,l] * %values[b,h,l,@V];
)";

constexpr const char* kDecodeAttention = R"(
    weight %kb_w, %vb_w;
    tensor %q[b,m,h,j];
    %attention.query.absorb: %q[b,m,h,c] += %q_plain[b,m,h,e] * %kb_w[c,h,e];
    %attention.query.rotate: %q[b,m,h,r+@L] = rotate(%q_plain[b,m,h,r+@P]);
    %attention.scores: %scores[b,h,m,l] += %q[b,m,h,j] * %latent[b,l,j];
    %attention.softmax.statistics: online %top[b,h,m], %total[b,h,m] += softmax(%scores[b,h,m,l]);
    %attention.softmax: %shares[b,h,m,l] = exp(%scores[b,h,m,l] - %top[b,h,m]) * %total[b,h,m];
    %attention.mix: %mixed_latent[b,m,h,c] += %shares[b,h,m,l] * %latent[b,l,c];
    %attention.value: %mixed[b,m,h,@V] += %mixed_latent[b,m,h,c] * %vb_w[c,h,@V];
)";

std::string latent_attention(const std::string& from, const LatentSizes& latent, bool decodes) {
    return latent_projections(from, latent) + (decodes ? kDecodeAttention : kPrefillAttention) + R"(
        weight %o_w;
        %attention.output: %attended[b,m,d] += %mixed[b,m,h,@V] * %o_w[h,@V,d];
        %attention.add: %middle[b,m,d] = )" +
           from + "[b,m,d] + %attended[b,m,d];" + rms_norm("%mlp.norm", "%middle", "%middle_normed", "b,m,d");
}

constexpr const char* kDense = R"(
    weight %up_w, %gate_w, %down_w;
    %mlp.up: %up[b,m,f] += %middle_normed[b,m,d] * %up_w[d,f];
    %mlp.gate: %gate[b,m,f] += %middle_normed[b,m,d] * %gate_w[d,f];
    %mlp.activation: %inner[b,m,f] = silu(%gate[b,m,f]) * %up[b,m,f];
    %mlp.down: %mlp[b,m,d] += %inner[b,m,f] * %down_w[f,d];
    %mlp.add: x[b,m,d] = %middle[b,m,d] + %mlp[b,m,d];
)";

constexpr const char* kMixture = R"(
    weight %router_w, %bias, %up_w[X,d,s], %gate_w[X,d,s], %down_w[X,s,d], %shared_up_w, %shared_gate_w, %shared_down_w;
    %experts.router: %raw[b,m,n] += %middle_normed[b,m,d] * %router_w[d,n];
    %experts.chances: %chances[b,m,n] = sigmoid(%raw[b,m,n]) + %bias[n];
    %experts.choose: %chosen[b,m,k] max= top(%chances[b,m,n]);
    %experts.up: %up[a,t,s] += ~%middle_normed[a,t,d] * %up_w[a,d,s];
    %experts.gate: %gate[a,t,s] += ~%middle_normed[a,t,d] * %gate_w[a,d,s];
    %experts.activation: %inner[a,t,s] = silu(%gate[a,t,s]) * %up[a,t,s];
    %experts.down: %made[a,t,d] += %inner[a,t,s] * %down_w[a,s,d];
    %experts.combine: %mlp[b,m,d] += ~%made[b,m,k,d] * %chosen[b,m,k];
    %shared.up: %shared_up[b,m,@H] += %middle_normed[b,m,d] * %shared_up_w[d,@H];
    %shared.gate: %shared_gate[b,m,@H] += %middle_normed[b,m,d] * %shared_gate_w[d,@H];
    %shared.activation: %shared_inner[b,m,@H] = silu(%shared_gate[b,m,@H]) * %shared_up[b,m,@H];
    %shared.down: %shared[b,m,d] += %shared_inner[b,m,@H] * %shared_down_w[@H,d];
    %mlp.add: y[b,m,d] = %middle[b,m,d] + %mlp[b,m,d] + %shared[b,m,d];
)";

void fill_in(std::string& text, const std::string& mark, const std::string& by) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
        text.replace(at, mark.size(), by);
}

// Plain blocks, then blocks of experts; either may be missing.
std::string text_of(const DecoderSizes& one, bool decodes) {
    const LatentSizes& latent = *one.latent;
    const std::int64_t plain = one.experts == 0 ? one.blocks : one.plain_blocks;
    const std::int64_t mixed = one.blocks - plain;
    const std::string before = plain > 0 && mixed > 0 ? "x0" : "x";
    std::string text = "weight table[v,d], head; view " + before + "[b,m,d] of table; ";
    std::string dense = kDense;
    if (mixed == 0) dense.replace(dense.find(" x[b,m,d] ="), 11, " y[b,m,d] =");
    if (plain > 0)
        text += "block dense " + std::to_string(plain) + " {" +
                prefixed(latent_attention(before, latent, decodes) + dense, "dense_") + "carry " +
                (mixed > 0 ? "x -> x0" : "y -> x") + "; }  ";
    if (mixed > 0)
        text += "block mixture " + std::to_string(mixed) + " {" +
                prefixed(latent_attention("x", latent, decodes) + kMixture, "") + "carry y -> x; }";
    text += last_token_head("y", "head");
    fill_in(text, "@V", latent.value == latent.plain ? "e" : "o");
    fill_in(text, "@H", one.shared_hidden == one.hidden ? "s" : "p");
    fill_in(text, "@L", std::to_string(latent.rank));
    fill_in(text, "@P", std::to_string(latent.plain));
    return text;
}

}  // namespace

Cascade latent_decoder(const std::string& name, const DecoderSizes& one, const Tokens& tokens, bool decodes) {
    const LatentSizes& latent = *one.latent;
    Sizes sizes{{"d", one.width},
                {"h", one.query_heads},
                {"e", latent.plain},
                {"r", latent.rotated},
                {"i", latent.plain + latent.rotated}};
    if (latent.query_rank > 0) sizes.emplace_back("u", latent.query_rank);
    sizes.insert(sizes.end(), {{"c", latent.rank}, {"j", latent.kept()}});
    if (latent.value != latent.plain) sizes.emplace_back("o", latent.value);
    if (one.experts == 0 || one.plain_blocks > 0)
        sizes.emplace_back("f", one.experts == 0 ? one.hidden : one.plain_hidden);
    if (one.experts > 0) sizes.emplace_back("s", one.hidden);
    if (one.experts > 0 && one.shared_hidden != one.hidden) sizes.emplace_back("p", one.shared_hidden);
    sizes.emplace_back("v", one.vocabulary);
    if (one.experts > 0) {
        const Experts used = mean_experts(one.experts, one.chosen, tokens);
        sizes.insert(
            sizes.end(),
            {{"X", one.experts}, {"n", one.experts}, {"k", one.chosen}, {"a", used.in_use}, {"t", used.tokens_each}});
    }
    return model(name, text_of(one, decodes), tokens, sizes);
}

DecoderSizes deepseek_v3_sizes() {
    DecoderSizes sizes{61, 7168, 128, 128, 128, 2048, 129280};
    sizes.experts = 256;
    sizes.chosen = 8;
    sizes.shared_hidden = 2048;
    sizes.plain_blocks = 3;
    sizes.plain_hidden = 18432;
    sizes.latent = LatentSizes{.query_rank = 1536, .rank = 512, .rotated = 64, .plain = 128, .value = 128};
    return sizes;
}

Cascade deepseek_v3_prefill(const Tokens& tokens) {
    return latent_decoder("deepseek-v3", deepseek_v3_sizes(), tokens, false);
}
Cascade deepseek_v3_decode(const Tokens& tokens) {
    return latent_decoder("deepseek-v3", deepseek_v3_sizes(), tokens, true);
}

}  // namespace tilewright::zoo
