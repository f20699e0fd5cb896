// Decoders of the Llama family. Sizes: config.json of each model as its authors publish it (meta-llama/Meta-Llama-3-8B
// and -70B, Llama-3.2-1B and -3B, Qwen/Qwen3-8B and -32B, mistralai/Mistral-7B-v0.1 and Mixtral-8x7B-v0.1); parameters
// are pinned in cascades_test.cpp.
#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "workload/zoo/cascade_parts.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::zoo {
namespace {

std::string rotated_projections(bool norms_heads) {
    const std::string q = norms_heads ? "q_normed" : "q_plain";
    const std::string k = norms_heads ? "k_normed" : "k_plain";
    std::string text = R"(
        weight q_w, k_w, v_w;
        cache K[b,h,l,e], V[b,h,l,e];
        attention.query: q_plain[b,m,h,g,e] += normed[b,m,d] * q_w[d,h,g,e];
        attention.key: k_plain[b,m,h,e] += normed[b,m,d] * k_w[d,h,e];
        attention.value: V[b,h,m+@C,e] += normed[b,m,d] * v_w[d,h,e];
    )";
    if (norms_heads)
        text += rms_norm("attention.query.norm", "q_plain", q, "b,m,h,g,e") +
                rms_norm("attention.key.norm", "k_plain", k, "b,m,h,e");
    return text + "attention.query.rotate: q[b,m,h,g,e] = rotate(" + q + "[b,m,h,g,e]);" +
           "attention.key.rotate: K[b,h,m+@C,e] = rotate(" + k + "[b,m,h,e]);";
}

std::string grouped_attention(bool norms_heads) {
    return rms_norm("attention.norm", "x", "normed", "b,m,d") + rotated_projections(norms_heads) + attention_core("q") +
           R"(
        weight o_w;
        attention.output: attended[b,m,d] += mixed[b,m,h,g,e] * o_w[h,g,e,d];
        attention.add: middle[b,m,d] = x[b,m,d] + attended[b,m,d];
    )" + rms_norm("mlp.norm", "middle", "middle_normed", "b,m,d");
}

std::string around(const DecoderSizes& one, const std::string& block) {
    const std::string head = one.tied ? "table" : "head";
    return std::string("weight table[v,d]") + (one.tied ? "" : ", head") + "; view x[b,m,d] of table; block decoder " +
           std::to_string(one.blocks) + " {" + block +
           "mlp.add: y[b,m,d] = middle[b,m,d] + mlp[b,m,d]; carry y -> x; }" + last_token_head("y", head);
}

Sizes sizes_of(const DecoderSizes& one) {
    return {{"h", one.kv_heads}, {"g", one.query_heads / one.kv_heads},
            {"e", one.head},     {"d", one.width},
            {"f", one.hidden},   {"v", one.vocabulary}};
}

Cascade decoder(const std::string& name, const DecoderSizes& one, const Tokens& tokens) {
    return model(name, around(one, grouped_attention(one.norms_heads) + gated_mlp("middle_normed")), tokens,
                 sizes_of(one));
}

// Every token chooses k of X experts. Rows of a chosen expert's tokens are picked by index; a experts have t each.
constexpr const char* kChoiceOfExperts = R"(
    weight router_w, up_w[X,d,f], gate_w[X,d,f], down_w[X,f,d];
    experts.router: chances[b,m,n] += middle_normed[b,m,d] * router_w[d,n];
    experts.choose: chosen[b,m,k] max= top(chances[b,m,n]);
    experts.weights: weights[b,m,k] = exp(chosen[b,m,k]);
    experts.up: up[a,t,f] += ~middle_normed[a,t,d] * up_w[a,d,f];
    experts.gate: gate[a,t,f] += ~middle_normed[a,t,d] * gate_w[a,d,f];
    experts.activation: inner[a,t,f] = silu(gate[a,t,f]) * up[a,t,f];
    experts.down: made[a,t,d] += inner[a,t,f] * down_w[a,f,d];
    experts.combine: mlp[b,m,d] += ~made[b,m,k,d] * weights[b,m,k];
)";

}  // namespace

Cascade llama3_8b(const Tokens& tokens) { return decoder("llama3-8b", {32, 4096, 8, 32, 128, 14336, 128256}, tokens); }

Cascade llama3_70b(const Tokens& tokens) {
    return decoder("llama3-70b", {80, 8192, 8, 64, 128, 28672, 128256}, tokens);
}

Cascade qwen3_8b(const Tokens& tokens) {
    return decoder("qwen3-8b", {36, 4096, 8, 32, 128, 12288, 151936, true}, tokens);
}

Cascade qwen3_32b(const Tokens& tokens) {
    return decoder("qwen3-32b", {64, 5120, 8, 64, 128, 25600, 151936, true}, tokens);
}

Cascade llama32_1b(const Tokens& tokens) {
    return decoder("llama3.2-1b", {16, 2048, 8, 32, 64, 8192, 128256, false, true}, tokens);
}

Cascade llama32_3b(const Tokens& tokens) {
    return decoder("llama3.2-3b", {28, 3072, 8, 24, 128, 8192, 128256, false, true}, tokens);
}

Cascade mistral_7b(const Tokens& tokens) { return decoder("mistral-7b", {32, 4096, 8, 32, 128, 14336, 32000}, tokens); }

Cascade llama_7b_prompt(const Tokens& tokens) {
    return decoder("llama-7b-prefill", {32, 4096, 32, 32, 128, 11008, 32000}, tokens);
}

Cascade llama_7b_token(const Tokens& tokens) {
    return decoder("llama-7b-decode", {32, 4096, 32, 32, 128, 11008, 32000}, tokens);
}

Cascade mixtral_8x7b(const Tokens& tokens) {
    const std::int64_t experts = 8;
    const std::int64_t chosen = 2;
    const Experts used = mean_experts(experts, chosen, tokens);
    const DecoderSizes one{32, 4096, 8, 32, 128, 14336, 32000};
    Sizes sizes = sizes_of(one);
    sizes.insert(sizes.end(),
                 {{"X", experts}, {"n", experts}, {"k", chosen}, {"a", used.in_use}, {"t", used.tokens_each}});
    return model("mixtral-8x7b", around(one, grouped_attention(false) + kChoiceOfExperts), tokens, sizes);
}

}  // namespace tilewright::zoo

namespace tilewright {

Cascade decoder_cascade(const std::string& name, const DecoderSizes& sizes, const DecoderPoint& point) {
    try {
        return zoo::decoder(name, sizes, {point.batch, point.tokens, point.context});
    } catch (const OverflowError&) {
        throw InputError(ErrorCode::overflow, {}, "network '" + name + "' is too large to count in 64 bits");
    }
}

}  // namespace tilewright
