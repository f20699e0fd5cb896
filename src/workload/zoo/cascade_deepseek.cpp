// DeepSeek-V3: latent attention and many small experts. Sizes: config.json of deepseek-ai/DeepSeek-V3; without the
// second-token prediction module. Parameters are pinned in cascades_test.cpp.
//
// Keys and values come from a latent vector of 512 words, c, beside 64 words of a rotated key common to all heads;
// these 576 words are the cache. Prefill makes every head's keys and values from it. Decode applies the corresponding
// matrices to the queries and to the mixed latent instead, and reads the cache as it is.
#include "workload/zoo/cascade_parts.hpp"

namespace tilewright::zoo {
namespace {

constexpr std::int64_t kExperts = 256;
constexpr std::int64_t kChosen = 8;
constexpr std::int64_t kDenseBlocks = 3;
constexpr std::int64_t kExpertBlocks = 58;

// Query words: e for the latent part, r for the rotated one. c: the latent, j: both together.
std::string latent_projections(const std::string& from) {
    return rms_norm("%attention.norm", from, "%normed", "b,m,d") + R"(
        weight %qa_w, %qb_w, %kva_w;
        cache %latent[b,l,j];
        tensor %kv[b,m,j], %q_plain[b,m,h,i];
        %attention.query.down: %qa[b,m,u] += %normed[b,m,d] * %qa_w[d,u];
    )" + rms_norm("%attention.query.norm", "%qa", "%qn", "b,m,u") +
           R"(
        %attention.query: %q_plain[b,m,h,i] += %qn[b,m,u] * %qb_w[u,h,i];
        %attention.latent: %kv[b,m,j] += %normed[b,m,d] * %kva_w[d,j];
        weight %c_gain;
        %attention.latent.norm.statistics: %c_scale[b,m] += square(%kv[b,m,c]);
        %attention.latent.norm: %latent[b,m+@C,c] = %kv[b,m,c] * %c_scale[b,m] * %c_gain[c];
        %attention.key.rotate: %latent[b,m+@C,r+512] = rotate(%kv[b,m,r+512]);
    )";
}

constexpr const char* kPrefillAttention = R"(
    weight %kb_w, %vb_w;
    %attention.query.rotate: %q_turned[b,m,h,r] = rotate(%q_plain[b,m,h,r+128]);
    %attention.key: %keys[b,h,l,e] += %latent[b,l,c] * %kb_w[c,h,e];
    %attention.value: %values[b,h,l,e] += %latent[b,l,c] * %vb_w[c,h,e];
    %attention.scores: %part[b,h,m,l] += %q_plain[b,m,h,e] * %keys[b,h,l,e];
    %attention.scores.rotated: %turned[b,h,m,l] += %q_turned[b,m,h,r] * %latent[b,l,r+512];
    %attention.scores.add: %scores[b,h,m,l] = %part[b,h,m,l] + %turned[b,h,m,l];
    %attention.softmax.statistics: online %top[b,h,m], %total[b,h,m] += softmax(%scores[b,h,m,l]);
    %attention.softmax: %shares[b,h,m,l] = exp(%scores[b,h,m,l] - %top[b,h,m]) * %total[b,h,m];
    %attention.mix: %mixed[b,m,h,e] += %shares[b,h,m,l] * %values[b,h,l,e];
)";

constexpr const char* kDecodeAttention = R"(
    weight %kb_w, %vb_w;
    tensor %q[b,m,h,j];
    %attention.query.absorb: %q[b,m,h,c] += %q_plain[b,m,h,e] * %kb_w[c,h,e];
    %attention.query.rotate: %q[b,m,h,r+512] = rotate(%q_plain[b,m,h,r+128]);
    %attention.scores: %scores[b,h,m,l] += %q[b,m,h,j] * %latent[b,l,j];
    %attention.softmax.statistics: online %top[b,h,m], %total[b,h,m] += softmax(%scores[b,h,m,l]);
    %attention.softmax: %shares[b,h,m,l] = exp(%scores[b,h,m,l] - %top[b,h,m]) * %total[b,h,m];
    %attention.mix: %mixed_latent[b,m,h,c] += %shares[b,h,m,l] * %latent[b,l,c];
    %attention.value: %mixed[b,m,h,e] += %mixed_latent[b,m,h,c] * %vb_w[c,h,e];
)";

std::string latent_attention(const std::string& from, bool decodes) {
    return latent_projections(from) + (decodes ? kDecodeAttention : kPrefillAttention) + R"(
        weight %o_w;
        %attention.output: %attended[b,m,d] += %mixed[b,m,h,e] * %o_w[h,e,d];
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
    %shared.up: %shared_up[b,m,s] += %middle_normed[b,m,d] * %shared_up_w[d,s];
    %shared.gate: %shared_gate[b,m,s] += %middle_normed[b,m,d] * %shared_gate_w[d,s];
    %shared.activation: %shared_inner[b,m,s] = silu(%shared_gate[b,m,s]) * %shared_up[b,m,s];
    %shared.down: %shared[b,m,d] += %shared_inner[b,m,s] * %shared_down_w[s,d];
    %mlp.add: y[b,m,d] = %middle[b,m,d] + %mlp[b,m,d] + %shared[b,m,d];
)";

std::string deepseek_text(bool decodes) {
    return "weight table[v,d], head; view x0[b,m,d] of table; block dense " + std::to_string(kDenseBlocks) + " {" +
           prefixed(latent_attention("x0", decodes) + kDense, "dense_") + "carry x -> x0; }  block mixture " +
           std::to_string(kExpertBlocks) + " {" + prefixed(latent_attention("x", decodes) + kMixture, "") +
           "carry y -> x; }" + last_token_head("y", "head");
}

Cascade deepseek(const Tokens& tokens, bool decodes) {
    const Experts used = mean_experts(kExperts, kChosen, tokens);
    const Sizes sizes{{"d", 7168},     {"h", 128},     {"e", 128},         {"r", 64},
                      {"i", 192},      {"u", 1536},    {"c", 512},         {"j", 576},
                      {"f", 18432},    {"s", 2048},    {"v", 129280},      {"X", kExperts},
                      {"n", kExperts}, {"k", kChosen}, {"a", used.in_use}, {"t", used.tokens_each}};
    return model("deepseek-v3", deepseek_text(decodes), tokens, sizes);
}

}  // namespace

Cascade deepseek_v3_prefill(const Tokens& tokens) { return deepseek(tokens, false); }
Cascade deepseek_v3_decode(const Tokens& tokens) { return deepseek(tokens, true); }

}  // namespace tilewright::zoo
