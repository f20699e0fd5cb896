// Decoders of the Llama family. Sizes: the authors' config.json of each model (meta-llama/Meta-Llama-3-8B and -70B,
// Llama-3.2-1B and -3B, Qwen/Qwen3-8B and -32B, mistralai/Mistral-7B-v0.1 and Mixtral-8x7B-v0.1, openai/gpt-oss-20b and
// -120b, google/gemma-3-1b-it to -27b-it: the text's part, with missing sizes from transformers' Gemma3TextConfig);
// parameters are pinned in cascades_test.cpp. Biases (gpt-oss) are left out.
#include <algorithm>

#include "base/error.hpp"
#include "base/numbers/checked.hpp"
#include "workload/zoo/cascade_parts.hpp"
#include "workload/zoo/cascades.hpp"

namespace tilewright::zoo {
namespace {

// Keys reached by the queries of a block.
enum class Reach {
    all,     // all tokens
    last,    // the window's cached ones, and the new ones
    chunks,  // a long prompt: windows of queries, each over two windows of keys
};

Reach reach_of(const DecoderSizes& one, const Tokens& tokens) {
    const bool long_prompt = tokens.before == 0 && tokens.now > 2 * one.window;
    return long_prompt ? Reach::chunks : Reach::last;
}

// Keys and values go into the cache; for a long prompt only within the window's reach.
std::string rotated_projections(const DecoderSizes& one, Reach reach) {
    const std::string q = one.norms_heads ? "%q_normed" : "%q_plain";
    const std::string k = one.norms_heads ? "%k_normed" : "%k_plain";
    const std::string length = reach == Reach::all ? "l" : "w";
    const std::string keys = reach == Reach::chunks ? "%keys[b,h,m,e]" : "%K[b,h,m+@B,e]";
    const std::string values = reach == Reach::chunks ? "%values[b,h,m,e]" : "%V[b,h,m+@B,e]";
    std::string text = "weight %q_w, %k_w, %v_w; cache %K[b,h," + length + ",e], %V[b,h," + length + ",e];" + R"(
        %attention.query: %q_plain[b,m,h,g,e] += %normed[b,m,d] * %q_w[d,h,g,e];
        %attention.key: %k_plain[b,m,h,e] += %normed[b,m,d] * %k_w[d,h,e];
        %attention.value: )" +
                       values + " += %normed[b,m,d] * %v_w[d,h,e];";
    if (one.norms_heads)
        text += rms_norm("%attention.query.norm", "%q_plain", q, "b,m,h,g,e") +
                rms_norm("%attention.key.norm", "%k_plain", k, "b,m,h,e");
    text += "%attention.query.rotate: %q[b,m,h,g,e] = rotate(" + q + "[b,m,h,g,e]);" +
            "%attention.key.rotate: " + keys + " = rotate(" + k + "[b,m,h,e]);";
    if (reach == Reach::chunks)
        text +=
            "%attention.key.keep: %K[b,h,w,e] = copy(~%keys[b,h,w,e]);"
            "%attention.value.keep: %V[b,h,w,e] = copy(~%values[b,h,w,e]);";
    return text;
}

// c windows of r queries, each with z keys.
constexpr const char* kAttentionInChunks = R"(
    %attention.scores: %scores[c,h,g,r,z] += ~%q[c,r,h,g,e] * ~%keys[c,h,z,e];
    %attention.softmax.statistics: online %top[c,h,g,r], %total[c,h,g,r] += softmax(%scores[c,h,g,r,z]);
    %attention.softmax: %shares[c,h,g,r,z] = exp(%scores[c,h,g,r,z] - %top[c,h,g,r]) * %total[c,h,g,r];
    %attention.mix: %mixed[c,r,h,g,e] += %shares[c,h,g,r,z] * ~%values[c,h,z,e];
)";

void replace_all_of(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

// With a learned term per head in the softmax sum.
std::string with_sinks(std::string text, const std::string& rows) {
    replace_all_of(text, "* %total[", "* %sum[");
    text.insert(text.find("%attention.softmax:"), "weight %sinks; %attention.sinks: %sum[" + rows +
                                                      "] = exp(%sinks[h,g] - %top[" + rows + "]) + %total[" + rows +
                                                      "];\n        ");
    return text;
}

std::string attention(const DecoderSizes& one, Reach reach) {
    std::string text = reach == Reach::chunks ? kAttentionInChunks : attention_core("%q");
    if (one.sinks) text = with_sinks(std::move(text), reach == Reach::chunks ? "c,h,g,r" : "b,h,g,m");
    if (reach == Reach::last) {
        replace_all_of(text, ",l]", ",w]");
        replace_all_of(text, ",l,", ",w,");
    }
    return text;
}

// `from` + `made`, normalised first where the model does so.
std::string added(const DecoderSizes& one, const std::string& part, const std::string& from, const std::string& made,
                  const std::string& to) {
    const std::string normed = one.norms_results ? made + "_normed" : made;
    return (one.norms_results ? rms_norm("%" + part + ".result.norm", made, normed, "b,m,d") : "") + "%" + part +
           ".add: " + to + "[b,m,d] = " + from + "[b,m,d] + " + normed + "[b,m,d];";
}

std::string block(const DecoderSizes& one, Reach reach, const std::string& from, const std::string& to,
                  const std::string& feed_forward) {
    const std::string mixed = reach == Reach::chunks ? "~%mixed" : "%mixed";
    return rms_norm("%attention.norm", from, "%normed", "b,m,d") + rotated_projections(one, reach) +
           attention(one, reach) + "weight %o_w; %attention.output: %attended[b,m,d] += " + mixed +
           "[b,m,h,g,e] * %o_w[h,g,e,d];" + added(one, "attention", from, "%attended", "%middle") +
           rms_norm("%mlp.norm", "%middle", "%middle_normed", "b,m,d") + feed_forward +
           added(one, "mlp", "%middle", "%mlp", to);
}

// Every token chooses k of X experts. Rows of a chosen expert's tokens are picked by index; a experts have t each.
constexpr const char* kChoiceOfExperts = R"(
    weight %router_w, %up_w[X,d,f], %gate_w[X,d,f], %down_w[X,f,d];
    %experts.router: %chances[b,m,n] += %middle_normed[b,m,d] * %router_w[d,n];
    %experts.choose: %chosen[b,m,k] max= top(%chances[b,m,n]);
    %experts.weights: %weights[b,m,k] = exp(%chosen[b,m,k]);
    %experts.up: %up[a,t,f] += ~%middle_normed[a,t,d] * %up_w[a,d,f];
    %experts.gate: %gate[a,t,f] += ~%middle_normed[a,t,d] * %gate_w[a,d,f];
    %experts.activation: %inner[a,t,f] = silu(%gate[a,t,f]) * %up[a,t,f];
    %experts.down: %made[a,t,d] += %inner[a,t,f] * %down_w[a,f,d];
    %experts.combine: %mlp[b,m,d] += ~%made[b,m,k,d] * %weights[b,m,k];
)";

// Beside them what every token takes, of hidden width s; its gate of one word a token is not counted.
constexpr const char* kSharedExpert = R"(
    weight %shared_up_w, %shared_gate_w, %shared_down_w;
    %shared.up: %shared_up[b,m,s] += %middle_normed[b,m,d] * %shared_up_w[d,s];
    %shared.gate: %shared_gate[b,m,s] += %middle_normed[b,m,d] * %shared_gate_w[d,s];
    %shared.activation: %shared_inner[b,m,s] = silu(%shared_gate[b,m,s]) * %shared_up[b,m,s];
    %shared.down: %shared[b,m,d] += %shared_inner[b,m,s] * %shared_down_w[s,d];
    %shared.add: %mlp[b,m,d] = %routed[b,m,d] + %shared[b,m,d];
)";

std::string feed_forward_of(const DecoderSizes& one) {
    if (one.experts == 0) return gated_mlp("%middle_normed", one.gelu ? "gelu" : "silu");
    std::string text = kChoiceOfExperts;
    if (one.shared_hidden == 0) return text;
    replace_all_of(text, "%mlp[b,m,d]", "%routed[b,m,d]");
    return text + kSharedExpert;
}

std::string repeated(const char* name, std::int64_t times, const std::string& inside) {
    return std::string("block ") + name + " " + std::to_string(times) + " {" + inside + "}";
}

std::string text_of(const DecoderSizes& one, const Tokens& tokens) {
    const std::string feed_forward = feed_forward_of(one);
    const bool mixed = one.local_blocks > 0 && one.local_blocks < one.blocks;
    const std::string first = mixed ? "x0" : "x";
    std::string text =
        std::string("weight table[v,d]") + (one.tied ? "" : ", head") + "; view " + first + "[b,m,d] of table;";
    if (one.local_blocks > 0) {
        const std::string prefix = mixed ? "local_" : "";
        std::string local = block(one, reach_of(one, tokens), first, mixed ? "x" : "y", feed_forward);
        replace_all_of(local, "@B", "@W");
        text +=
            repeated("local", one.local_blocks, prefixed(local, prefix) + "carry " + (mixed ? "x -> x0;" : "y -> x;"));
    }
    if (one.local_blocks < one.blocks) {
        std::string global = block(one, Reach::all, "x", "y", feed_forward);
        replace_all_of(global, "@B", "@C");
        text += repeated("decoder", one.blocks - one.local_blocks, prefixed(global, "") + "carry y -> x;");
    }
    return text + last_token_head("y", one.tied ? "table" : "head");
}

Sizes sizes_of(const DecoderSizes& one) {
    return {{"h", one.kv_heads}, {"g", one.query_heads / one.kv_heads},
            {"e", one.head},     {"d", one.width},
            {"f", one.hidden},   {"v", one.vocabulary}};
}

void add_window(const DecoderSizes& one, const Tokens& tokens, Sizes& sizes, std::string& text) {
    const std::int64_t before = std::min(tokens.before, one.window - 1);
    replace_all_of(text, "@W", std::to_string(before));
    if (reach_of(one, tokens) != Reach::chunks) {
        sizes.emplace_back("w", checked_add(tokens.now, before));
        return;
    }
    sizes.emplace_back("w", one.window);
    sizes.emplace_back("c", checked_mul(tokens.batch, ceil_div(tokens.now, one.window)));
    sizes.emplace_back("r", one.window);
    sizes.emplace_back("z", 2 * one.window);
}

Cascade decoder(const std::string& name, const DecoderSizes& one, const Tokens& tokens) {
    std::string text = text_of(one, tokens);
    Sizes sizes = sizes_of(one);
    if (one.local_blocks > 0) add_window(one, tokens, sizes, text);
    if (one.experts > 0) {
        const Experts used = mean_experts(one.experts, one.chosen, tokens);
        sizes.insert(
            sizes.end(),
            {{"X", one.experts}, {"n", one.experts}, {"k", one.chosen}, {"a", used.in_use}, {"t", used.tokens_each}});
        if (one.shared_hidden > 0) sizes.emplace_back("s", one.shared_hidden);
    }
    return model(name, std::move(text), tokens, std::move(sizes));
}

}  // namespace

namespace {

DecoderSizes gpt_oss(std::int64_t blocks, std::int64_t experts) {
    return {blocks, 2880, 8, 64, 64, 2880, 201088, false, false, blocks / 2, 128, experts, 4, true};
}

// Five local blocks, then one over all tokens.
DecoderSizes gemma3(DecoderSizes sizes, std::int64_t window) {
    sizes.norms_heads = true;
    sizes.tied = true;
    sizes.local_blocks = sizes.blocks - sizes.blocks / 6;
    sizes.window = window;
    sizes.norms_results = true;
    sizes.gelu = true;
    return sizes;
}

struct Named {
    const char* name;
    DecoderSizes sizes;
};

std::vector<Named> named_decoders() {
    return {{"llama3-8b", {32, 4096, 8, 32, 128, 14336, 128256}},
            {"llama3-70b", {80, 8192, 8, 64, 128, 28672, 128256}},
            {"qwen3-8b", {36, 4096, 8, 32, 128, 12288, 151936, true}},
            {"qwen3-32b", {64, 5120, 8, 64, 128, 25600, 151936, true}},
            {"llama3.2-1b", {16, 2048, 8, 32, 64, 8192, 128256, false, true}},
            {"llama3.2-3b", {28, 3072, 8, 24, 128, 8192, 128256, false, true}},
            {"mistral-7b", {32, 4096, 8, 32, 128, 14336, 32000, false, false, 32, 4096}},
            {"llama-7b-prefill", {32, 4096, 32, 32, 128, 11008, 32000}},
            {"llama-7b-decode", {32, 4096, 32, 32, 128, 11008, 32000}},
            {"mixtral-8x7b", {32, 4096, 8, 32, 128, 14336, 32000, false, false, 0, 0, 8, 2}},
            {"gpt-oss-20b", gpt_oss(24, 32)},
            {"gpt-oss-120b", gpt_oss(36, 128)},
            {"gemma3-1b", gemma3({26, 1152, 1, 4, 256, 6912, 262144}, 512)},
            {"gemma3-4b", gemma3({34, 2560, 4, 8, 256, 10240, 262208}, 1024)},
            {"gemma3-12b", gemma3({48, 3840, 8, 16, 256, 15360, 262208}, 1024)},
            {"gemma3-27b", gemma3({62, 5376, 16, 32, 128, 21504, 262208}, 1024)},
            {"deepseek-v3", deepseek_v3_sizes()}};
}

}  // namespace

}  // namespace tilewright::zoo

namespace tilewright {

Cascade decoder_cascade(const std::string& name, const DecoderSizes& sizes, const DecoderPoint& point) {
    if (sizes.plain_blocks > 0 && !sizes.latent)
        throw InputError(
            ErrorCode::unsupported, {},
            "'" + name + "': blocks with experts beside blocks without are known with latent attention only");
    const zoo::Tokens tokens{point.batch, point.tokens, point.context};
    try {
        return sizes.latent ? zoo::latent_decoder(name, sizes, tokens, point.tokens == 1)
                            : zoo::decoder(name, sizes, tokens);
    } catch (const OverflowError&) {
        throw InputError(ErrorCode::overflow, {}, "network '" + name + "' is too large to count in 64 bits");
    }
}

std::optional<DecoderSizes> zoo_decoder(std::string_view name) {
    for (const zoo::Named& one : zoo::named_decoders())
        if (one.name == name) return one.sizes;
    return std::nullopt;
}

}  // namespace tilewright
