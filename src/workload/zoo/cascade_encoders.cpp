// Models with layer norms and biases: GPT-3 (table 2.1 of its paper, 2020), BERT-base (config.json of
// google-bert/bert-base-uncased), ViT-B/16 (torchvision's vit_b_16). Parameters are pinned in cascades_test.cpp.
#include "workload/zoo/cascade_parts.hpp"

namespace tilewright::zoo {
namespace {

// From `from` to `attended`, biases included; keys and values of the present tokens, or caches.
std::string biased_attention(const std::string& from, bool caches) {
    const std::string keep = caches ? "cache K[b,h,l,e], V[b,h,l,e];" : "";
    return keep + R"(
        weight q_w, k_w, v_w, o_w, q_b, k_b, v_b, o_b;
        attention.query: q0[b,m,h,e] += )" +
           from + R"([b,m,d] * q_w[d,h,e];
        attention.key: k0[b,m,h,e] += )" +
           from + R"([b,m,d] * k_w[d,h,e];
        attention.value: v0[b,m,h,e] += )" +
           from + R"([b,m,d] * v_w[d,h,e];
        attention.query.bias: q[b,m,h,e] = q0[b,m,h,e] + q_b[h,e];
        attention.key.bias: K[b,h,m+@C,e] = k0[b,m,h,e] + k_b[h,e];
        attention.value.bias: V[b,h,m+@C,e] = v0[b,m,h,e] + v_b[h,e];
    )" + attention_core_of_heads("q") +
           "attention.output: attended[b,m,d] += mixed[b,m,h,e] * o_w[h,e,d];";
}

std::string biased_mlp(const std::string& from) {
    return R"(
        weight up_w, up_b, down_w, down_b;
        mlp.up: up[b,m,f] += )" +
           from + R"([b,m,d] * up_w[d,f];
        mlp.activation: inner[b,m,f] = gelu(up[b,m,f] + up_b[f]);
        mlp.down: mlp[b,m,d] += inner[b,m,f] * down_w[f,d];
    )";
}

// Norms before attention and feed-forward, both added to the input: x -> y.
std::string pre_norm_block(bool caches) {
    return layer_norm("attention.norm", "x", "normed", "b,m,d") + biased_attention("normed", caches) +
           "attention.add: middle[b,m,d] = x[b,m,d] + attended[b,m,d] + o_b[d];" +
           layer_norm("mlp.norm", "middle", "middle_normed", "b,m,d") + biased_mlp("middle_normed") +
           "mlp.add: y[b,m,d] = middle[b,m,d] + mlp[b,m,d] + down_b[d]; carry y -> x;";
}

// With learned positions, and a head sharing its weights with the embedding.
struct Gpt {
    std::int64_t blocks;
    std::int64_t places;
    std::int64_t width;
    std::int64_t heads;
};

Cascade gpt(const std::string& name, const Gpt& one, const Tokens& tokens) {
    const std::string text = "weight table[v,d], places[" + std::to_string(one.places) + R"(,d];
        embed: x[b,m,d] = ~table[b,m,d] + ~places[m,d];
        block decoder )" + std::to_string(one.blocks) +
                             " {" + pre_norm_block(true) + R"(}
        weight final_gain, final_shift;
        final_norm.statistics: final_mean[b], final_scale[b] += moments(y[b,@Z,d]);
        final_norm: final[b,d] = (y[b,@Z,d] - final_mean[b]) * final_scale[b] * final_gain[d] + final_shift[d];
        lm_head: logits[b,v] += final[b,d] * table[v,d];
    )";
    return model(
        name, text, tokens,
        {{"d", one.width}, {"h", one.heads}, {"e", one.width / one.heads}, {"f", 4 * one.width}, {"v", 50257}});
}

}  // namespace

Cascade gpt3_175b(const Tokens& tokens) { return gpt("gpt3-175b", {96, 2048, 12288, 96}, tokens); }

Cascade gpt2_cascade(const Tokens& tokens) { return gpt("gpt2", {12, 1024, 768, 12}, tokens); }

Cascade bert_base_cascade(const Tokens& tokens) {
    const std::string text = R"(
        weight table[30522,d], places[512,d], kinds[2,d];
        embed: embedded[b,m,d] = ~table[b,m,d] + ~places[m,d] + ~kinds[b,m,d];
    )" + layer_norm("embed.norm", "embedded", "x", "b,m,d") +
                             "block encoder 12 {" + biased_attention("x", false) +
                             "attention.add: summed[b,m,d] = x[b,m,d] + attended[b,m,d] + o_b[d];" +
                             layer_norm("attention.norm", "summed", "middle", "b,m,d") + biased_mlp("middle") +
                             "mlp.add: added[b,m,d] = middle[b,m,d] + mlp[b,m,d] + down_b[d];" +
                             layer_norm("mlp.norm", "added", "y", "b,m,d") + R"(carry y -> x; }
        output y;
        weight pool_w, pool_b;
        pooler: pool[b,z] += y[b,0,d] * pool_w[d,z];
        pooler.activation: pooled[b,z] = tanh(pool[b,z] + pool_b[z]);
    )";
    return model("bert-base", text, tokens, {{"d", 768}, {"h", 12}, {"e", 64}, {"f", 3072}, {"z", 768}});
}

// 14 x 14 patches and the class token, at place 0.
Cascade vit_b16(const Tokens& tokens) {
    const std::string text = R"(
        weight patch_w, patch_b, class_word, places[m,d];
        patches: patch[b,p,q,d] += image[b,i,16p+r,16q+s] * patch_w[d,i,r,s];
        patches.bias: words[b,14p+q+1,d] = patch[b,p,q,d] + patch_b[d];
        class: words[b,0,d] = class_word[d];
        embed: x[b,m,d] = words[b,m,d] + places[m,d];
        block encoder 12 {)" +
                             pre_norm_block(false) + R"(}
        weight final_gain, final_shift, head_w, head_b;
        final_norm.statistics: final_mean[b], final_scale[b] += moments(y[b,0,d]);
        final_norm: final[b,d] = (y[b,0,d] - final_mean[b]) * final_scale[b] * final_gain[d] + final_shift[d];
        head: raw[b,v] += final[b,d] * head_w[d,v];
        head.bias: classes[b,v] = raw[b,v] + head_b[v];
    )";
    return model("vit-b16", text, tokens,
                 {{"d", 768},
                  {"h", 12},
                  {"e", 64},
                  {"f", 3072},
                  {"v", 1000},
                  {"p", 14},
                  {"q", 14},
                  {"i", 3},
                  {"r", 16},
                  {"s", 16}});
}

}  // namespace tilewright::zoo
