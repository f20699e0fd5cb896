// Transformers: projections as matrix products, attention as products batched over the heads. Masks are not exploited:
// a causal prompt computes all its scores, as dense hardware does.
#include <string>

#include "base/numbers/checked.hpp"
#include "workload/zoo/image_builder.hpp"

namespace tilewright::zoo {
namespace {

struct Transformer {
    int blocks;
    std::int64_t width;
    std::int64_t heads;
    std::int64_t hidden;   ///< width inside the feed-forward layers
    std::int64_t tokens;   ///< computed now
    std::int64_t context;  ///< attended to, these tokens included
    bool gated;            ///< feed-forward with a gate beside the up projection
};

Value attention(NetworkBuilder& net, const std::string& name, const Transformer& t, const Value& from) {
    const std::int64_t head = t.width / t.heads;
    const Value query = net.linear(name + ".query", t.tokens, t.width, t.width, from);
    const Value key = net.linear(name + ".key", t.tokens, t.width, t.width, from);
    const Value value = net.linear(name + ".value", t.tokens, t.width, t.width, from);
    const Value scores =
        net.add(name + ".scores", "MatMul", batched_matmul(t.heads, t.tokens, head, t.context), merge(query, key));
    const Value mixed =
        net.add(name + ".mix", "MatMul", batched_matmul(t.heads, t.tokens, t.context, head), merge(scores, value));
    return net.linear(name + ".output", t.tokens, t.width, t.width, mixed);
}

Value feed_forward(NetworkBuilder& net, const std::string& name, const Transformer& t, const Value& from) {
    Value up = net.linear(name + ".up", t.tokens, t.width, t.hidden, from);
    if (t.gated) up = merge(up, net.linear(name + ".gate", t.tokens, t.width, t.hidden, from));
    return net.linear(name + ".down", t.tokens, t.hidden, t.width, up);
}

Value blocks(NetworkBuilder& net, const Transformer& t) {
    Value stream;  // the residual stream: every block adds to it
    for (int i = 0; i < t.blocks; ++i) {
        const std::string name = "block" + std::to_string(i);
        stream = merge(stream, attention(net, name + ".attention", t, stream));
        stream = merge(stream, feed_forward(net, name + ".mlp", t, stream));
    }
    return stream;
}

Network llama_7b(const std::string& name, std::int64_t tokens, std::int64_t context) {
    NetworkBuilder net(name);
    const Value stream = blocks(net, {32, 4096, 32, 11008, tokens, context, true});
    net.linear("lm_head", 1, 4096, 32000, stream);
    return net.take();
}

}  // namespace

Network bert_base(std::int64_t tokens) {
    NetworkBuilder net("bert-base");
    const Value stream = blocks(net, {12, 768, 12, 3072, tokens, tokens, false});
    net.linear("pooler", 1, 768, 768, stream);
    return net.take();
}

Network gpt2(std::int64_t tokens) {
    NetworkBuilder net("gpt2");
    const Value stream = blocks(net, {12, 768, 12, 3072, tokens, tokens, false});
    net.linear("lm_head", 1, 768, 50257, stream);
    return net.take();
}

Network llama_7b_prefill(std::int64_t tokens) { return llama_7b("llama-7b-prefill", tokens, tokens); }
Network llama_7b_decode(std::int64_t context) { return llama_7b("llama-7b-decode", 1, checked_add(context, 1)); }

}  // namespace tilewright::zoo
